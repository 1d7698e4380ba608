import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/**
 * What was reported as failing and does not work again yet: `subject` is a model, or the receiver
 * of notifications; `note` is the stored reason of the latest failure.
 */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'alert_states', (table, longText) => {
    table.string('kind', 32).notNullable();
    table.string('subject', 255).notNullable();
    table.bigInteger('since_at').notNullable();
    longText('note');
    table.primary(['kind', 'subject']);
  });
}
