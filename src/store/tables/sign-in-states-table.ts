/** Rows of `sign_in_states`: sign-ins in progress at an identity provider, each consumed once. */
import type { Knex } from 'knex';
import { deleteReturning } from '../ledger/bulk-increments.ts';
import { numberValue, rowReader, textValue } from '../sql/read-rows.ts';

export interface SignInStateRow {
  readonly state_hash: string;
  readonly browser_hash: string;
  /** The user signed in when it began; 0 if none. */
  readonly user_id: number;
  /** '' if any provider may complete it. */
  readonly provider: string;
  /** Encrypted; '' if empty. */
  readonly sealed: string;
  readonly aff_code: string;
  readonly return_to: string;
  readonly expires_at: number;
}

const { columns: COLUMNS, read: readState } = rowReader<SignInStateRow>({
  state_hash: textValue,
  browser_hash: textValue,
  user_id: numberValue,
  provider: textValue,
  sealed: textValue,
  aff_code: textValue,
  return_to: textValue,
  expires_at: numberValue,
});

export async function insertSignInState(trx: Knex, row: SignInStateRow): Promise<void> {
  await trx('sign_in_states').insert(row);
}

/** Consumes the state with this hash: of two concurrent requests only one gets it. */
export async function consumeSignInState(
  trx: Knex.Transaction,
  stateHash: string,
): Promise<SignInStateRow | undefined> {
  const [row] = await deleteReturning(trx, 'sign_in_states', 'state_hash', [stateHash], COLUMNS);
  return row === undefined ? undefined : readState(row);
}

/** Consumes every state of this browser. */
export async function consumeStatesOfBrowser(
  trx: Knex.Transaction,
  browserHash: string,
): Promise<SignInStateRow[]> {
  const rows = await deleteReturning(trx, 'sign_in_states', 'browser_hash', [browserHash], COLUMNS);
  return rows.map(readState);
}

/** Deletes expired states that were never completed and returns their number. */
export function pruneSignInStates(db: Knex, nowSec: number): Promise<number> {
  return db('sign_in_states').where('expires_at', '<=', nowSec).delete();
}
