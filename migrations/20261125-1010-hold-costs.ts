import type { Knex } from 'knex';
import { dropIndex } from './indexes.ts';

/**
 * Every call with a hold pays for the indexes of `holds`, a table of the calls in progress, which is
 * short enough to scan. On PostgreSQL pages with free space keep the new version of an account's
 * row, so that its indexes need no new entries; existing pages get the space as their rows change.
 */
export async function up(knex: Knex): Promise<void> {
  await dropIndex(knex, 'holds', 'holds_node_index');
  await dropIndex(knex, 'holds', 'holds_expires_at_index');
  if (knex.client.dialect !== 'postgresql') return;
  for (const table of ['users', 'tokens'])
    await knex.raw('alter table ?? set (fillfactor = 60)', [table]);
}
