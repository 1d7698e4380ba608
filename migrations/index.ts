/** The migrations in the order they run. A landed one is never changed, moved or removed. */
import type { Knex } from 'knex';
import * as users from './20261121-1000-users.ts';
import * as channels from './20261121-1010-channels.ts';
import * as channelKeys from './20261121-1020-channel-keys.ts';
import * as abilities from './20261121-1030-abilities.ts';
import * as tokens from './20261121-1040-tokens.ts';
import * as redemptions from './20261121-1050-redemptions.ts';
import * as redemptionLogs from './20261121-1060-redemption-logs.ts';
import * as logs from './20261121-1070-logs.ts';
import * as options from './20261121-1080-options.ts';
import * as midjourneys from './20261121-1090-midjourneys.ts';
import * as tasks from './20261121-1100-tasks.ts';
import * as topUps from './20261121-1110-top-ups.ts';
import * as quotaData from './20261121-1120-quota-data.ts';
import * as setups from './20261121-1130-setups.ts';
import * as messages from './20261121-1140-messages.ts';
import * as userMessages from './20261121-1150-user-messages.ts';
import * as ledger from './20261121-1160-ledger.ts';
import * as holds from './20261121-1170-holds.ts';
import * as nodes from './20261121-1180-nodes.ts';
import * as leases from './20261121-1190-leases.ts';
import * as revisions from './20261121-1200-revisions.ts';
import * as changes from './20261121-1210-changes.ts';
import * as sessions from './20261121-1220-sessions.ts';
import * as oneTimeCodes from './20261121-1230-one-time-codes.ts';
import * as userKeys from './20261121-1231-user-keys.ts';
import * as notices from './20261121-1240-notices.ts';
import * as signInStates from './20261121-1250-sign-in-states.ts';
import * as setupCodes from './20261121-1260-setup-codes.ts';
import * as optionChanges from './20261121-1261-option-changes.ts';
import * as topUpOrders from './20261121-1270-top-up-orders.ts';
import * as channelColumns from './20261121-1280-channel-columns.ts';
import * as channelOutcomes from './20261121-1281-channel-outcomes.ts';
import * as channelTestRuns from './20261121-1282-channel-test-runs.ts';
import * as logHours from './20261121-1290-log-hours.ts';
import * as logProgress from './20261121-1291-log-progress.ts';
import * as logIndexes from './20261121-1292-log-indexes.ts';
import * as leaseFences from './20261121-1300-lease-fences.ts';
import * as jobRuns from './20261121-1301-job-runs.ts';
import * as tokenExpiryIndex from './20261121-1302-token-expiry-index.ts';
import * as taskColumns from './20261121-1310-task-columns.ts';
import * as taskIndexes from './20261121-1311-task-indexes.ts';
import * as userTimes from './20261121-1312-user-times.ts';
import * as storedResponses from './20261121-1320-stored-responses.ts';
import * as backgroundAnswers from './20261121-1321-background-answers.ts';
import * as imports from './20261121-1400-imports.ts';
import * as importMap from './20261121-1401-import-map.ts';
import * as nodeWorkers from './20261121-1500-node-workers.ts';
import * as logOutbox from './20261121-1520-log-outbox.ts';
import * as logArrivals from './20261121-1521-log-arrivals.ts';
import * as logPartitions from './20261121-1522-log-partitions.ts';
import * as caps from './20261121-1540-caps.ts';
import * as keyRests from './20261121-1541-key-rests.ts';
import * as siteKeys from './20261121-1580-site-keys.ts';
import * as logDays from './20261121-1595-log-days.ts';
import * as failedCalls from './20261122-1000-failed-calls.ts';
import * as nodeSkew from './20261122-1100-node-skew.ts';
import * as nodeStates from './20261122-1110-node-states.ts';
import * as ledgerIndexes from './20261123-1000-ledger-indexes.ts';
import * as logTypeIndex from './20261123-1010-log-type-index.ts';
import * as channelCost from './20261123-1100-channel-cost.ts';
import * as logCost from './20261123-1110-log-cost.ts';
import * as ledgerSums from './20261125-1000-ledger-sums.ts';
import * as holdCosts from './20261125-1010-hold-costs.ts';
import * as logArchiveOption from './20261128-0000-log-archive-option.ts';
import * as channelTestOk from './20261128-0600-channel-test-ok.ts';
import * as userNameKeys from './20261128-1300-user-name-keys.ts';
import * as keptAnswers from './20261128-1400-kept-answers.ts';
import * as jobProgress from './20261128-1500-job-progress.ts';
import * as budgets from './20261128-1600-budgets.ts';
import * as alertStates from './20261128-1730-alert-states.ts';
import * as priceSourceNames from './20261128-1800-price-source-names.ts';
import * as budgetAlertLevels from './20261129-0200-budget-alert-levels.ts';

export interface Migration {
  readonly name: string;
  /** Also made in a log database of its own. */
  readonly isOfLog?: true;
  /** Can be run again after a cut: it first looks whether its work is done. */
  up(knex: Knex): Promise<void>;
}

export const migrations: readonly Migration[] = [
  { name: '20261121-1000-users', up: users.up },
  { name: '20261121-1010-channels', up: channels.up },
  { name: '20261121-1020-channel-keys', up: channelKeys.up },
  { name: '20261121-1030-abilities', up: abilities.up },
  { name: '20261121-1040-tokens', up: tokens.up },
  { name: '20261121-1050-redemptions', up: redemptions.up },
  { name: '20261121-1060-redemption-logs', up: redemptionLogs.up },
  { name: '20261121-1070-logs', up: logs.up, isOfLog: true },
  { name: '20261121-1080-options', up: options.up },
  { name: '20261121-1090-midjourneys', up: midjourneys.up },
  { name: '20261121-1100-tasks', up: tasks.up },
  { name: '20261121-1110-top-ups', up: topUps.up },
  { name: '20261121-1120-quota-data', up: quotaData.up, isOfLog: true },
  { name: '20261121-1130-setups', up: setups.up },
  { name: '20261121-1140-messages', up: messages.up },
  { name: '20261121-1150-user-messages', up: userMessages.up },
  { name: '20261121-1160-ledger', up: ledger.up },
  { name: '20261121-1170-holds', up: holds.up },
  { name: '20261121-1180-nodes', up: nodes.up },
  { name: '20261121-1190-leases', up: leases.up },
  { name: '20261121-1200-revisions', up: revisions.up },
  { name: '20261121-1210-changes', up: changes.up },
  { name: '20261121-1220-sessions', up: sessions.up },
  { name: '20261121-1230-one-time-codes', up: oneTimeCodes.up },
  { name: '20261121-1231-user-keys', up: userKeys.up },
  { name: '20261121-1240-notices', up: notices.up },
  { name: '20261121-1250-sign-in-states', up: signInStates.up },
  { name: '20261121-1260-setup-codes', up: setupCodes.up },
  { name: '20261121-1261-option-changes', up: optionChanges.up },
  { name: '20261121-1270-top-up-orders', up: topUpOrders.up },
  { name: '20261121-1280-channel-columns', up: channelColumns.up },
  { name: '20261121-1281-channel-outcomes', up: channelOutcomes.up },
  { name: '20261121-1282-channel-test-runs', up: channelTestRuns.up },
  { name: '20261121-1290-log-hours', up: logHours.up, isOfLog: true },
  { name: '20261121-1291-log-progress', up: logProgress.up, isOfLog: true },
  { name: '20261121-1292-log-indexes', up: logIndexes.up, isOfLog: true },
  { name: '20261121-1300-lease-fences', up: leaseFences.up },
  { name: '20261121-1301-job-runs', up: jobRuns.up },
  { name: '20261121-1302-token-expiry-index', up: tokenExpiryIndex.up },
  { name: '20261121-1310-task-columns', up: taskColumns.up },
  { name: '20261121-1311-task-indexes', up: taskIndexes.up },
  { name: '20261121-1312-user-times', up: userTimes.up },
  { name: '20261121-1320-stored-responses', up: storedResponses.up },
  { name: '20261121-1321-background-answers', up: backgroundAnswers.up },
  { name: '20261121-1400-imports', up: imports.up },
  { name: '20261121-1401-import-map', up: importMap.up },
  { name: '20261121-1500-node-workers', up: nodeWorkers.up },
  { name: '20261121-1520-log-outbox', up: logOutbox.up },
  { name: '20261121-1521-log-arrivals', up: logArrivals.up, isOfLog: true },
  { name: '20261121-1522-log-partitions', up: logPartitions.up, isOfLog: true },
  { name: '20261121-1540-caps', up: caps.up },
  { name: '20261121-1541-key-rests', up: keyRests.up },
  { name: '20261121-1580-site-keys', up: siteKeys.up },
  { name: '20261121-1595-log-days', up: logDays.up, isOfLog: true },
  { name: '20261122-1000-failed-calls', up: failedCalls.up },
  { name: '20261122-1100-node-skew', up: nodeSkew.up },
  { name: '20261122-1110-node-states', up: nodeStates.up },
  { name: '20261123-1000-ledger-indexes', up: ledgerIndexes.up },
  { name: '20261123-1010-log-type-index', up: logTypeIndex.up, isOfLog: true },
  { name: '20261123-1100-channel-cost', up: channelCost.up },
  { name: '20261123-1110-log-cost', up: logCost.up, isOfLog: true },
  { name: '20261125-1000-ledger-sums', up: ledgerSums.up },
  { name: '20261125-1010-hold-costs', up: holdCosts.up },
  { name: '20261128-0000-log-archive-option', up: logArchiveOption.up },
  { name: '20261128-0600-channel-test-ok', up: channelTestOk.up },
  { name: '20261128-1300-user-name-keys', up: userNameKeys.up },
  { name: '20261128-1400-kept-answers', up: keptAnswers.up },
  { name: '20261128-1500-job-progress', up: jobProgress.up },
  { name: '20261128-1600-budgets', up: budgets.up },
  { name: '20261128-1730-alert-states', up: alertStates.up },
  { name: '20261128-1800-price-source-names', up: priceSourceNames.up },
  { name: '20261129-0200-budget-alert-levels', up: budgetAlertLevels.up },
];

/** What a log database of its own is made of. */
export const logMigrations: readonly Migration[] = migrations.filter(({ isOfLog }) => isOfLog);
