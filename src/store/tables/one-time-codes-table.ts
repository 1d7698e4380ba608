/** Rows of `one_time_codes`: at most one valid code per purpose and address, for all nodes. */

import type { Knex } from 'knex';
import { insertOnce } from '../sql/inserts.ts';
import { hasRow } from '../sql/read-rows.ts';

export type CodePurpose = 'verification' | 'reset';

export interface CodeKey {
  readonly purpose: CodePurpose;
  /** Lower-cased. */
  readonly address: string;
}

export interface NewCode extends CodeKey {
  readonly code_hash: string;
  /** Epoch seconds, like `expires_at`. */
  readonly sent_at: number;
  readonly expires_at: number;
}

/** Replaces the previous code; false if that one was sent after `lastSentBySec`. */
export async function putCode(
  trx: Knex.Transaction,
  code: NewCode,
  lastSentBySec: number,
): Promise<boolean> {
  const { purpose, address, ...fields } = code;
  const replaced = await trx('one_time_codes')
    .where({ purpose, address })
    .where('sent_at', '<=', lastSentBySec)
    .update({ ...fields, attempts: 0 });
  if (replaced === 1) return true;
  return insertOnce(trx, 'one_time_codes', { ...code, attempts: 0 }, ['purpose', 'address']);
}

/** Counts one attempt at a valid code; false if there is no code, or no attempt left. */
export async function countCodeUse(
  db: Knex,
  key: CodeKey,
  limits: { readonly attempts: number; readonly nowSec: number },
): Promise<boolean> {
  const counted = await db('one_time_codes')
    .where({ purpose: key.purpose, address: key.address })
    .where('attempts', '<', limits.attempts)
    .where('expires_at', '>', limits.nowSec)
    .increment('attempts', 1);
  return counted === 1;
}

/** Whether `consumeCode` would accept it now. */
export function isValidCode(
  db: Knex,
  { purpose, address, code_hash }: CodeKey & { readonly code_hash: string },
  nowSec: number,
): Promise<boolean> {
  const code = db('one_time_codes').where({ purpose, address, code_hash });
  return hasRow(code.where('expires_at', '>', nowSec));
}

/** Consumes the code; false if it differs, has expired or was used. */
export async function consumeCode(
  trx: Knex.Transaction,
  key: CodeKey & { readonly code_hash: string },
  nowSec: number,
): Promise<boolean> {
  const { purpose, address, code_hash } = key;
  const gone = await trx('one_time_codes')
    .where({ purpose, address, code_hash })
    .where('expires_at', '>', nowSec)
    .delete();
  return gone === 1;
}

/** Deletes a code that could not be delivered. */
export async function deleteCode(
  db: Knex,
  { purpose, address, code_hash }: CodeKey & { readonly code_hash: string },
): Promise<void> {
  await db('one_time_codes').where({ purpose, address, code_hash }).delete();
}
