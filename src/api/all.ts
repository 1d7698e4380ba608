/** All management API calls, by noun. */
import { accountCalls } from './account.ts';
import { channelCalls } from './channel.ts';
import { channelBatchCalls } from './channel-batch.ts';
import {
  channelBalanceCalls,
  channelHealthCalls,
  channelModelCalls,
  channelProbeCalls,
  channelTestCalls,
} from './channel-probe.ts';
import { channelTagCalls } from './channel-tag.ts';
import { channelTransferCalls } from './channel-transfer.ts';
import { dataCalls } from './data.ts';
import { groupCalls } from './group.ts';
import { jobCalls } from './job.ts';
import { ledgerCalls } from './ledger.ts';
import { logCalls } from './log.ts';
import { messageCalls } from './message.ts';
import { nodeCalls } from './node.ts';
import { noticeCalls } from './notice.ts';
import { oauthCalls } from './oauth.ts';
import { optionCalls } from './option.ts';
import { priceCalls } from './price.ts';
import { priceSourceCalls } from './price-source.ts';
import { publicCalls } from './public.ts';
import { redemptionCalls } from './redemption.ts';
import { setupCalls } from './setup.ts';
import { statusCalls } from './status.ts';
import { mjTaskCalls, taskCalls } from './task.ts';
import { tokenCalls } from './token.ts';
import { userCalls } from './user.ts';
import { walletCalls } from './wallet.ts';

export const apiCalls = {
  status: statusCalls,
  setup: setupCalls,
  user: userCalls,
  account: accountCalls,
  group: groupCalls,
  channel: channelCalls,
  channelBatch: channelBatchCalls,
  channelTag: channelTagCalls,
  channelTransfer: channelTransferCalls,
  probe: channelProbeCalls,
  channelTest: channelTestCalls,
  channelBalance: channelBalanceCalls,
  channelModel: channelModelCalls,
  channelHealth: channelHealthCalls,
  token: tokenCalls,
  redemption: redemptionCalls,
  wallet: walletCalls,
  option: optionCalls,
  price: priceCalls,
  priceSource: priceSourceCalls,
  public: publicCalls,
  message: messageCalls,
  notice: noticeCalls,
  log: logCalls,
  data: dataCalls,
  ledger: ledgerCalls,
  mjTask: mjTaskCalls,
  task: taskCalls,
  job: jobCalls,
  node: nodeCalls,
  oauth: oauthCalls,
};
