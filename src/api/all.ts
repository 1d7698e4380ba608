/** All management API calls, by noun. */
import { accountCalls } from './accounts/account.ts';
import { groupCalls } from './accounts/group.ts';
import { oauthCalls } from './accounts/oauth.ts';
import { tokenCalls } from './accounts/token.ts';
import { tokenUsageCalls } from './accounts/token-usage.ts';
import { userCalls } from './accounts/user.ts';
import { budgetCalls } from './billing/budget.ts';
import { ledgerCalls } from './billing/ledger.ts';
import { priceCalls } from './billing/price.ts';
import { priceSourceCalls } from './billing/price-source.ts';
import { redemptionCalls } from './billing/redemption.ts';
import { statementCalls } from './billing/statement.ts';
import { walletCalls } from './billing/wallet.ts';
import { channelCalls } from './channels/channel.ts';
import { channelBatchCalls } from './channels/channel-batch.ts';
import { channelKeyCalls } from './channels/channel-key.ts';
import {
  channelBalanceCalls,
  channelHealthCalls,
  channelModelCalls,
  channelProbeCalls,
  channelTestCalls,
} from './channels/channel-probe.ts';
import { channelTagCalls } from './channels/channel-tag.ts';
import { channelTransferCalls } from './channels/channel-transfer.ts';
import { vendorCalls } from './channels/vendor.ts';
import { dataCalls } from './logs/data.ts';
import { logCalls } from './logs/log.ts';
import { mjTaskCalls, taskCalls } from './logs/task.ts';
import { destinationCalls } from './messaging/destination.ts';
import { messageCalls } from './messaging/message.ts';
import { noticeCalls } from './messaging/notice.ts';
import { jobCalls } from './site/job.ts';
import { nodeCalls } from './site/node.ts';
import { optionCalls } from './site/option.ts';
import { publicCalls } from './site/public.ts';
import { setupCalls } from './site/setup.ts';
import { siteApplyCalls } from './site/site-apply.ts';
import { statusCalls } from './site/status.ts';

export const apiCalls = {
  status: statusCalls,
  setup: setupCalls,
  user: userCalls,
  account: accountCalls,
  group: groupCalls,
  channel: channelCalls,
  channelBatch: channelBatchCalls,
  channelKey: channelKeyCalls,
  channelTag: channelTagCalls,
  channelTransfer: channelTransferCalls,
  probe: channelProbeCalls,
  channelTest: channelTestCalls,
  channelBalance: channelBalanceCalls,
  channelModel: channelModelCalls,
  channelHealth: channelHealthCalls,
  vendor: vendorCalls,
  token: tokenCalls,
  tokenUsage: tokenUsageCalls,
  budget: budgetCalls,
  redemption: redemptionCalls,
  wallet: walletCalls,
  option: optionCalls,
  price: priceCalls,
  priceSource: priceSourceCalls,
  public: publicCalls,
  message: messageCalls,
  notice: noticeCalls,
  destination: destinationCalls,
  log: logCalls,
  data: dataCalls,
  ledger: ledgerCalls,
  statement: statementCalls,
  mjTask: mjTaskCalls,
  task: taskCalls,
  job: jobCalls,
  node: nodeCalls,
  siteApply: siteApplyCalls,
  oauth: oauthCalls,
};
