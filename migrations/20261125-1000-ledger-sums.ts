import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/**
 * The ledger summed per account up to an id, so that reports read only newer entries. Each run sums
 * it from the first entry; the lowest one is in use.
 */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'ledger_runs', (table) => {
    table.bigInteger('run').notNullable().primary();
    for (const column of ['summed_id', 'entries'])
      table.bigInteger(column).notNullable().defaultTo(0);
  });
  await createTable(knex, 'ledger_sums', (table) => {
    table.bigInteger('run').notNullable();
    table.string('account', 16).notNullable();
    table.bigInteger('account_id').notNullable();
    for (const column of ['units', 'spent']) table.bigInteger(column).notNullable().defaultTo(0);
    table.primary(['run', 'account', 'account_id']);
  });
}
