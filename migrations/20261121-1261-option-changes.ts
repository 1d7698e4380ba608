import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Who changed which option from what to what. Values of secrets are never in it. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'option_changes',
    (table, longText) => {
      table.bigIncrements('id');
      table.bigInteger('created_at').notNullable();
      // 0 is the operator at the machine's own terminal.
      table.bigInteger('user_id').notNullable();
      table.string('key').notNullable();
      longText('old_value');
      longText('new_value');
    },
    { index: [['key']] },
  );
}
