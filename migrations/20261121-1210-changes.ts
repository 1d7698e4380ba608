import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** What each revision of a scope wrote; old rows are pruned. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'changes',
    (table) => {
      table.bigIncrements('id');
      table.string('scope', 32).notNullable();
      table.bigInteger('revision').notNullable();
      table.bigInteger('entity_id').notNullable();
      table.bigInteger('created_at').notNullable();
    },
    { unique: [['scope', 'revision']], index: [['created_at']] },
  );
}
