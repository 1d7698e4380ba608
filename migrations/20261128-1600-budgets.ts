import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/**
 * Budgets per period and their windows. `models`: JSON list of names, empty for all. `windows` of a
 * hold or a ledger entry: JSON list of [budget id, start of the window, amount], null for none.
 * `warned`: the highest level in per cent of which a notification was sent.
 */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'budgets',
    (table, longText) => {
      table.bigIncrements('id');
      table.string('subject', 16).notNullable();
      table.string('subject_id', 191).notNullable().defaultTo('');
      longText('models');
      table.string('measure', 16).notNullable();
      table.string('period', 16).notNullable();
      table.string('anchor', 16).notNullable().defaultTo('calendar');
      table.string('time_zone', 64).notNullable().defaultTo('');
      table.bigInteger('limit_amount').notNullable();
      table.integer('warn_at').notNullable().defaultTo(0);
      table.string('on_full', 16).notNullable().defaultTo('refuse');
      table.string('downgrade_model', 191).notNullable().defaultTo('');
      table.bigInteger('raised_amount').notNullable().defaultTo(0);
      table.bigInteger('raised_until').notNullable().defaultTo(0);
      table.boolean('shadow').notNullable().defaultTo(false);
      table.integer('status').notNullable().defaultTo(1);
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at').notNullable();
      table.bigInteger('created_by').notNullable().defaultTo(0);
    },
    { index: [['subject', 'subject_id']] },
  );
  await createTable(knex, 'budget_windows', (table) => {
    table.bigInteger('budget_id').notNullable();
    table.bigInteger('starts_at').notNullable();
    table.bigInteger('ends_at').notNullable();
    table.bigInteger('spent').notNullable().defaultTo(0);
    table.bigInteger('held').notNullable().defaultTo(0);
    table.integer('warned').notNullable().defaultTo(0);
    table.primary(['budget_id', 'starts_at']);
  });
  for (const name of ['holds', 'ledger']) {
    if (await knex.schema.hasColumn(name, 'windows')) continue;
    await knex.schema.alterTable(name, (table) => {
      table.text('windows').nullable();
    });
  }
}
