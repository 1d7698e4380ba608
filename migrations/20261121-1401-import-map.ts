import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/**
 * What became of each row of an imported installation, so that a second run takes over nothing twice.
 * Of histories, which are read in their order, one row says how far: `source_id` 0, `target_id` the
 * last id taken.
 */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'import_map',
    (table) => {
      table.bigIncrements('id');
      table.string('import_name', 64).notNullable();
      table.string('kind', 24).notNullable();
      table.bigInteger('source_id').notNullable();
      table.bigInteger('target_id').notNullable();
    },
    { unique: [['import_name', 'kind', 'source_id']] },
  );
}
