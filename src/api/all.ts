/** Every management call of the gateway, by noun. */
import { channelCalls } from './channel.ts';
import { groupCalls } from './group.ts';
import { ledgerCalls } from './ledger.ts';
import { logCalls } from './log.ts';
import { optionCalls } from './option.ts';
import { priceCalls } from './price.ts';
import { setupCalls } from './setup.ts';
import { statusCalls } from './status.ts';
import { tokenCalls } from './token.ts';
import { userCalls } from './user.ts';

export const apiCalls = {
  status: statusCalls,
  setup: setupCalls,
  user: userCalls,
  group: groupCalls,
  channel: channelCalls,
  token: tokenCalls,
  option: optionCalls,
  price: priceCalls,
  log: logCalls,
  ledger: ledgerCalls,
};
