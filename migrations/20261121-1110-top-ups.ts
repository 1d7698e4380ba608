import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Payments. `money` is what was paid, in the currency of the payment page. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'top_ups',
    (table) => {
      table.bigIncrements('id');
      table.bigInteger('user_id').notNullable();
      table.bigInteger('amount').notNullable().defaultTo(0);
      table.decimal('money', 20, 2).notNullable().defaultTo(0);
      table.string('trade_no', 128).notNullable();
      table.bigInteger('create_time').notNullable().defaultTo(0);
      table.string('status', 20).notNullable().defaultTo('pending');
    },
    { unique: [['trade_no']], index: [['user_id']] },
  );
}
