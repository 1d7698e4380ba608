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

export interface Migration {
  readonly name: string;
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
  { name: '20261121-1070-logs', up: logs.up },
  { name: '20261121-1080-options', up: options.up },
  { name: '20261121-1090-midjourneys', up: midjourneys.up },
  { name: '20261121-1100-tasks', up: tasks.up },
  { name: '20261121-1110-top-ups', up: topUps.up },
  { name: '20261121-1120-quota-data', up: quotaData.up },
  { name: '20261121-1130-setups', up: setups.up },
  { name: '20261121-1140-messages', up: messages.up },
  { name: '20261121-1150-user-messages', up: userMessages.up },
  { name: '20261121-1160-ledger', up: ledger.up },
  { name: '20261121-1170-holds', up: holds.up },
  { name: '20261121-1180-nodes', up: nodes.up },
  { name: '20261121-1190-leases', up: leases.up },
  { name: '20261121-1200-revisions', up: revisions.up },
  { name: '20261121-1210-changes', up: changes.up },
];
