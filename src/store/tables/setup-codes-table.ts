/** The single row of `setup_codes`: the encrypted code and the number of attempts. */
import type { Knex } from 'knex';
import { insertOnce } from '../sql/inserts.ts';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';

const ONLY_ROW = 1;

const CODES = rowReader({
  code_cipher: textValue,
  attempts: numberValue,
});
export type SetupCodeRow = RowOf<typeof CODES>;

export function setupCode(db: Knex): Promise<SetupCodeRow | undefined> {
  return CODES.first(db('setup_codes').where({ id: ONLY_ROW }));
}

/** If several processes start at once, the first one's code is kept. */
export async function insertSetupCode(
  trx: Knex.Transaction,
  codeCipher: string,
  atSec: number,
): Promise<void> {
  const row = { id: ONLY_ROW, code_cipher: codeCipher, attempts: 0, created_at: atSec };
  await insertOnce(trx, 'setup_codes', row, 'id');
}

/** Counts an attempt before it is checked. False if `max` attempts were already made. */
export async function countSetupAttempt(trx: Knex.Transaction, max: number): Promise<boolean> {
  const counted = await trx('setup_codes')
    .where({ id: ONLY_ROW })
    .where('attempts', '<', max)
    .increment('attempts', 1);
  return counted > 0;
}

/** An attempt with the right code does not count. */
export async function uncountSetupAttempt(trx: Knex.Transaction): Promise<void> {
  await trx('setup_codes')
    .where({ id: ONLY_ROW })
    .where('attempts', '>', 0)
    .decrement('attempts', 1);
}

/** Deletes the code, or only the one encrypted as `codeCipher`. */
export async function deleteSetupCode(trx: Knex.Transaction, codeCipher?: string): Promise<void> {
  const which = { id: ONLY_ROW, ...(codeCipher !== undefined && { code_cipher: codeCipher }) };
  await trx('setup_codes').where(which).delete();
}
