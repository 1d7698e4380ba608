/** The row that marks this site as set up. */

import type { Knex } from 'knex';
import { insertOnce } from '../sql/inserts.ts';
import { hasRow } from '../sql/read-rows.ts';

/** Fixed key of the only row, so that of two concurrent set-ups only one can write it. */
const ONLY_ROW = 1;

export function isSiteSetUp(db: Knex): Promise<boolean> {
  return hasRow(db('setups'));
}

/** False if the site was already set up; then nothing is written. */
export function markSetUp(trx: Knex.Transaction, version: string, atSec: number): Promise<boolean> {
  const row = { id: ONLY_ROW, version, initialized_at: atSec };
  return insertOnce(trx, 'setups', row, 'id');
}
