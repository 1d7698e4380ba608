import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** One upstream key per row, so that a bad one does not disable its channel. Status 1 or 3. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'channel_keys',
    (table, longText) => {
      table.bigIncrements('id');
      table.bigInteger('channel_id').notNullable();
      table.integer('position').notNullable().defaultTo(0);
      longText('key_cipher');
      table.string('key_hint', 16).notNullable().defaultTo('');
      table.integer('status').notNullable().defaultTo(1);
      table.string('reason', 255).notNullable().defaultTo('');
      table.bigInteger('disabled_at').notNullable().defaultTo(0);
    },
    { index: [['channel_id']] },
  );
}
