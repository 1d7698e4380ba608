/** Holds of calls in progress: rows of `holds`, and their sums in `held` of users, tokens and windows of budgets. */
import type { Knex } from 'knex';
import type { WindowAmount } from '../../domain/budgets/budget.ts';
import { nowSecSql } from '../connection/clock.ts';
import { insertNew } from '../sql/inserts.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { BalanceDeltas } from './balance-deltas.ts';
import { reserveWindows, windowsIn, windowsText, withWindows } from './budget-windows.ts';
import { deleteKeys, deleteReturning, incrementRows } from './bulk-increments.ts';
import type { HoldOperation, Operation, Outcome, ShrinkOperation } from './ledger-operations.ts';

/** The request ids of holds for many calls begin with it. */
export const BLOCK_PREFIX = 'block-';

/** Deletes open holds and subtracts them from `held`; a missing hold changes nothing. */
export async function releaseHolds(
  trx: Knex.Transaction,
  requestIds: readonly string[],
  sums: BalanceDeltas,
): Promise<number> {
  if (requestIds.length === 0) return 0;
  const gone = await deleteReturning(trx, 'holds', 'request_id', requestIds, HOLD_COLUMNS);
  for (const hold of gone) subtract(hold, sums);
  return gone.length;
}

const HOLD_COLUMNS = ['user_id', 'token_id', 'user_units', 'token_units', 'windows'];

function subtract(hold: Row, sums: BalanceDeltas): void {
  sums.add('users', Number(hold.user_id), { held: -Number(hold.user_units) });
  if (Number(hold.token_units) !== 0)
    sums.add('tokens', Number(hold.token_id), { held: -Number(hold.token_units) });
  sums.windows.add(windowsIn(hold.windows), 'held', -1);
}

/** Lowers holds that are still open, and adds the differences to `sums`. */
export async function shrinkHolds(
  trx: Knex.Transaction,
  shrinks: readonly ShrinkOperation[],
  sums: BalanceDeltas,
): Promise<void> {
  for (const { requestId, to } of shrinks) {
    const open = () => trx('holds').where({ request_id: requestId });
    const hold: Row | undefined = await open().forUpdate().first(HOLD_COLUMNS);
    if (hold === undefined) continue;
    subtract(hold, sums);
    sums.add('users', to.userId, { held: to.userUnits });
    if (to.tokenUnits !== 0) sums.add('tokens', to.tokenId, { held: to.tokenUnits });
    sums.windows.add(to.windows, 'held');
    await open().update({
      user_units: to.userUnits,
      token_units: to.tokenUnits,
      windows: to.windows === undefined ? null : windowsText(to.windows),
    });
  }
}

/** Holds amounts that the accounts have available; writes an outcome for each to `outcomes`. */
export async function applyHolds(
  trx: Knex.Transaction,
  holds: readonly HoldOperation[],
  outcomes: Map<Operation, Outcome>,
): Promise<void> {
  // Insert the rows first: an existing one (a lost commit response) must not be held again.
  const fresh = await insertNew(
    trx,
    'holds',
    withWindows(holds.map(rowsIn(trx)), holds),
    'request_id',
  );
  const wanted = holds.filter((hold) => fresh.delete(hold.requestId));
  for (const hold of holds) outcomes.set(hold, 'repeat');
  for (const hold of wanted) outcomes.set(hold, 'done');

  const fromUsers = wanted.map((hold) => ({ hold, id: hold.userId, units: hold.userUnits }));
  const heldByUser = await reserve(trx, 'users', fromUsers, 't.quota - t.held >= v.held');
  for (const hold of wanted) if (!heldByUser.has(hold)) outcomes.set(hold, 'user_short');

  const limited = [...heldByUser].filter((hold) => hold.tokenUnits > 0);
  const fromTokens = limited.map((hold) => ({ hold, id: hold.tokenId, units: hold.tokenUnits }));
  const heldByToken = await reserve(trx, 'tokens', fromTokens, 't.remain_quota - t.held >= v.held');
  const giveBack = new BalanceDeltas();
  for (const hold of limited) {
    if (heldByToken.has(hold)) continue;
    outcomes.set(hold, 'token_short');
    giveBack.add('users', hold.userId, { held: -hold.userUnits });
  }
  const covered = wanted.filter((hold) => outcomes.get(hold) === 'done');
  for (const [hold, budgetShort] of await reserveWindows(trx, covered)) {
    outcomes.set(hold, { budgetShort });
    giveBack.add('users', hold.userId, { held: -hold.userUnits });
    if (hold.tokenUnits > 0) giveBack.add('tokens', hold.tokenId, { held: -hold.tokenUnits });
  }
  await giveBack.write(trx);

  const refused = wanted.filter((hold) => outcomes.get(hold) !== 'done');
  const refusedIds = refused.map((hold) => hold.requestId);
  await deleteKeys(trx, 'holds', 'request_id', refusedIds);
}

interface HoldRequest {
  readonly hold: HoldOperation;
  readonly id: number;
  readonly units: number;
}

/**
 * Adds each amount to `held` if the balance allows it. Tried per account as one sum; only if the
 * sum is too large are that account's holds tried one by one, in order.
 */
async function reserve(
  trx: Knex.Transaction,
  table: 'users' | 'tokens',
  requests: readonly HoldRequest[],
  condition: string,
): Promise<Set<HoldOperation>> {
  const granted = new Set<HoldOperation>();
  if (requests.length === 0) return granted;
  const perAccount = new Map<number, HoldRequest[]>();
  for (const request of requests)
    perAccount.set(request.id, [...(perAccount.get(request.id) ?? []), request]);
  const sums = [...perAccount].map(([id, list]) => ({ id, held: total(list) }));
  const whole = await incrementRows(trx, table, sums, { where: condition });
  for (const [id, list] of perAccount) {
    if (whole.has(id)) {
      for (const request of list) granted.add(request.hold);
      continue;
    }
    if (list.length === 1) continue;
    for (const request of list) {
      const done = await incrementRows(trx, table, [{ id, held: request.units }], {
        where: condition,
      });
      if (done.has(id)) granted.add(request.hold);
    }
  }
  return granted;
}

function total(requests: readonly HoldRequest[]): number {
  return requests.reduce((sum, request) => sum + request.units, 0);
}

/** Whether another node has a block in this window. */
export async function hasOtherBlocks(
  db: Knex,
  node: string,
  { budgetId, startsAtSec }: Pick<WindowAmount, 'budgetId' | 'startsAtSec'>,
): Promise<boolean> {
  const found: unknown = await db('holds')
    .where('request_id', 'like', `${BLOCK_PREFIX}%`)
    .whereNot({ node })
    .where('windows', 'like', `%[${budgetId},${startsAtSec},%`)
    .first('request_id');
  return found !== undefined;
}

/** Releases the holds of nodes that are gone. Returns their number. */
export async function releaseHoldsOf(
  trx: Knex.Transaction,
  requestIds: readonly string[],
): Promise<number> {
  const sums = new BalanceDeltas();
  const released = await releaseHolds(trx, requestIds, sums);
  await sums.write(trx);
  return released;
}

function rowsIn(trx: Knex.Transaction): (hold: HoldOperation) => object {
  const now = nowSecSql(trx);
  return (hold) => ({
    request_id: hold.requestId,
    user_id: hold.userId,
    token_id: hold.tokenId,
    user_units: hold.userUnits,
    token_units: hold.tokenUnits,
    node: hold.node,
    created_at: hold.createdAtSec,
    expires_at: trx.raw(`${now} + ${hold.lifetimeSec}`),
  });
}
