import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Tests of all channels: who began one, how many channels it asks, when it ended (0 = not yet). */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'channel_test_runs', (table) => {
    table.bigIncrements('id');
    table.string('started_by', 64).notNullable();
    table.bigInteger('started_at_ms').notNullable();
    table.bigInteger('ended_at_ms').notNullable().defaultTo(0);
    table.integer('channels').notNullable().defaultTo(0);
  });
}
