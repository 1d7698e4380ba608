import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Which channel serves which model for which group; derived from `channels`. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'abilities',
    (table) => {
      table.string('group', 64).notNullable();
      table.string('model', 255).notNullable();
      table.bigInteger('channel_id').notNullable();
      table.boolean('enabled').notNullable().defaultTo(true);
      table.bigInteger('priority').notNullable().defaultTo(0);
      table.integer('weight').notNullable().defaultTo(0);
      table.string('tag').nullable();
      table.primary(['group', 'model', 'channel_id']);
    },
    { index: [['group', 'model', 'enabled', 'priority'], ['channel_id'], ['tag']] },
  );
}
