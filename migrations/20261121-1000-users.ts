import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

const PROVIDER_IDS = ['github_id', 'oidc_id', 'wechat_id', 'telegram_id', 'linux_do_id'];

/** Times are epoch seconds, quotas units. `held` is the sum of the user's open holds. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'users',
    (table, longText) => {
      table.bigIncrements('id');
      table.string('username').notNullable();
      table.string('password', 255).notNullable().defaultTo('');
      table.string('display_name').notNullable().defaultTo('');
      table.integer('role').notNullable().defaultTo(1);
      table.integer('status').notNullable().defaultTo(1);
      table.string('email').notNullable().defaultTo('');
      for (const column of PROVIDER_IDS) table.string(column).notNullable().defaultTo('');
      table.specificType('access_token_hash', 'char(64)').nullable();
      table.integer('session_version').notNullable().defaultTo(1);
      for (const column of ['quota', 'held', 'used_quota', 'request_count'])
        table.bigInteger(column).notNullable().defaultTo(0);
      table.string('group', 64).notNullable().defaultTo('default');
      table.string('aff_code', 32).nullable();
      for (const column of ['aff_count', 'aff_quota', 'aff_history', 'inviter_id'])
        table.bigInteger(column).notNullable().defaultTo(0);
      longText('setting');
      table.bigInteger('last_check_in_time').nullable();
      // The local date `2026-11-21`: one check-in a day is decided by comparing it.
      table.string('last_check_in_day', 10).nullable();
      table.bigInteger('deleted_at').nullable();
    },
    {
      unique: [['username'], ['access_token_hash'], ['aff_code']],
      index: [['display_name'], ['status'], ['group'], ['inviter_id'], ['deleted_at']],
      uniqueWhenSet: PROVIDER_IDS,
      uniqueWhenSetIgnoringCase: ['email'],
    },
  );
}
