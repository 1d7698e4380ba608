/** Rows of `sign_in_states`: sign-ins in progress at an identity provider, each consumed once. */
import type { Knex } from 'knex';
import { deleteReturning } from '../ledger/bulk-increments.ts';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';

const STATES = rowReader({
  state_hash: textValue,
  browser_hash: textValue,
  /** The user signed in when it began; 0 if none. */
  user_id: numberValue,
  /** '' if any provider may complete it. */
  provider: textValue,
  /** Encrypted; '' if empty. */
  sealed: textValue,
  aff_code: textValue,
  return_to: textValue,
  expires_at: numberValue,
});
export type SignInStateRow = RowOf<typeof STATES>;

export async function insertSignInState(trx: Knex, row: SignInStateRow): Promise<void> {
  await trx('sign_in_states').insert(row);
}

/** Consumes the state with this hash: of two concurrent requests only one gets it. */
export async function consumeSignInState(
  trx: Knex.Transaction,
  stateHash: string,
): Promise<SignInStateRow | undefined> {
  const [state] = await consume(trx, 'state_hash', stateHash);
  return state;
}

/** Consumes every state of this browser. */
export function consumeStatesOfBrowser(
  trx: Knex.Transaction,
  browserHash: string,
): Promise<SignInStateRow[]> {
  return consume(trx, 'browser_hash', browserHash);
}

async function consume(
  trx: Knex.Transaction,
  column: 'state_hash' | 'browser_hash',
  hash: string,
): Promise<SignInStateRow[]> {
  const rows = await deleteReturning(trx, 'sign_in_states', column, [hash], STATES.columns);
  return rows.map(STATES.read);
}
