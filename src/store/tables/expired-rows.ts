/** Rows that end by themselves: those of these tables at `expires_at`, in epoch seconds. */
import type { Knex } from 'knex';

export const EXPIRING_TABLES = [
  'sessions',
  'one_time_codes',
  'sign_in_states',
  'stored_responses',
  'kept_answers',
] as const;

/** Deletes the rows of a table that had expired by `atSec`. Returns their number. */
export function pruneExpired(
  db: Knex,
  table: (typeof EXPIRING_TABLES)[number],
  atSec: number,
): Promise<number> {
  return db(table).where('expires_at', '<=', atSec).delete();
}
