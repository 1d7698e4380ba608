/** The row that says this site is set up. */
import type { Knex } from 'knex';
import { insertOnce } from '../sql/inserts.ts';
import type { Row } from '../sql/sql-dialect.ts';

/** There is one such row, so that of two set-ups at once only one can write it. */
const ONLY_ROW = 1;

export async function isMarked(db: Knex): Promise<boolean> {
  const row: Row | undefined = await db('setups').first('id');
  return row !== undefined;
}

/** False when the site was set up already; then nothing is written. */
export function markSetUp(trx: Knex.Transaction, version: string, atSec: number): Promise<boolean> {
  const row = { id: ONLY_ROW, version, initialized_at: atSec };
  return insertOnce(trx, 'setups', row, 'id');
}
