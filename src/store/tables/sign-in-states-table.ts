/** Rows of `sign_in_states`: sign-ins in progress at an identity provider, each consumed once. */
import type { Knex } from 'knex';
import { deleteReturning } from '../ledger/bulk-increments.ts';
import { numberValue, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

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

const COLUMNS = [
  'state_hash',
  'browser_hash',
  'user_id',
  'provider',
  'sealed',
  'aff_code',
  'return_to',
  'expires_at',
] as const satisfies readonly (keyof SignInStateRow)[];

function readState(row: Row): SignInStateRow {
  return {
    state_hash: textValue(row.state_hash),
    browser_hash: textValue(row.browser_hash),
    user_id: numberValue(row.user_id),
    provider: textValue(row.provider),
    sealed: textValue(row.sealed),
    aff_code: textValue(row.aff_code),
    return_to: textValue(row.return_to),
    expires_at: numberValue(row.expires_at),
  };
}

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
