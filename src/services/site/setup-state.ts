/** Checks whether this site has been set up. */
import type { Knex } from 'knex';
import { isSiteSetUp } from '../../store/tables/setup-mark-table.ts';
import { hasSuperAdmin } from '../../store/tables/users-table.ts';

/** A site with a root account counts as set up even unmarked: it may have been imported. */
export async function isSetUp(db: Knex): Promise<boolean> {
  return (await isSiteSetUp(db)) || (await hasSuperAdmin(db));
}
