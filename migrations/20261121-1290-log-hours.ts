import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/**
 * Lines of the log per hour: of the site, a user, a token, a model, a channel or a group. The texts
 * are `value:count` pairs. `hour` is the hour's first second.
 */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'log_hours',
    (table, longText) => {
      table.string('scope', 8).notNullable();
      // Ranges of subjects are asked for, so its order must be that of its bytes everywhere.
      table.specificType('subject', byteOrdered(knex, 'varchar(300)')).notNullable();
      table.bigInteger('hour').notNullable();
      table.integer('type').notNullable();
      for (const column of ['lines', 'quota', 'prompt_tokens', 'completion_tokens', 'cache_tokens'])
        table.bigInteger(column).notNullable().defaultTo(0);
      for (const column of ['latency', 'first_token', 'statuses']) longText(column);
      table.primary(['scope', 'subject', 'hour', 'type']);
    },
    { index: [['scope', 'hour']] },
  );
}

function byteOrdered(knex: Knex, type: string): string {
  return knex.client.dialect === 'postgresql' ? `${type} collate "C"` : type;
}
