/**
 * The books. Every change of a balance is one ledger row with a unique key; the balance columns of
 * users, tokens and channels are sums of those rows and change in the same transaction. A hold is a
 * reservation, not a movement: `held` is the sum of the open rows in `holds`.
 *
 * What calls write (holds, charges, log rows) comes in batches: `applyBatch` turns many operations
 * into a handful of multi-row statements. Invariant: an operation is applied wholly or not at all,
 * and twice is the same as once.
 */
import type { Knex } from 'knex';
import { Sums } from './account-sums.ts';
import { addTo, deleteReturning, insertNew, lockRows } from './dialect.ts';
import { insertLogs, type LogRow } from './logs.ts';

export type Cause =
  | 'opening'
  | 'grant'
  | 'admin_edit'
  | 'token_grant'
  | 'token_edit'
  | 'charge'
  | 'refund'
  | 'redemption'
  | 'topup'
  | 'check_in'
  | 'invite'
  | 'transfer'
  | 'rebate';

export interface Entry {
  /** Unique for what happened, e.g. `call:<request id>`: the second posting of it changes nothing. */
  readonly key: string;
  readonly cause: Cause;
  readonly userId: number;
  readonly tokenId?: number;
  readonly channelId?: number;
  /** Signed quota units added to `users.quota`. */
  readonly userUnits: number;
  /** Signed quota units added to `tokens.remain_quota`. */
  readonly tokenUnits?: number;
  /** Quota units added to `channels.used_quota`. */
  readonly channelUnits?: number;
  readonly actor?: string;
  /** JSON text: what the amount was made of. */
  readonly detail?: string;
  readonly createdAtSec: number;
}

export interface HoldOperation {
  readonly kind: 'hold';
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly userUnits: number;
  /** 0 for a token without a limit of its own. */
  readonly tokenUnits: number;
  readonly node: string;
  readonly createdAtSec: number;
  readonly expiresAtSec: number;
}

/** The end of a call: its hold goes, its charge (if any) and its log rows are written. */
export interface CloseOperation {
  readonly kind: 'close';
  readonly requestId: string;
  readonly hadHold: boolean;
  readonly charge?: Entry;
  /** Set now and then, not on every call: when the charge's token was last used. */
  readonly tokenUsedAtSec?: number;
  readonly logs: readonly LogRow[];
}

export type Operation = HoldOperation | CloseOperation;
export type Outcome = 'done' | 'repeat' | 'user_short' | 'token_short';

/**
 * Applies the operations of one batch inside `trx`; outcomes stand in the order of `operations`.
 * Closes go first, so that what they free is there for the holds of the same batch.
 */
export async function applyBatch(
  trx: Knex.Transaction,
  operations: readonly Operation[],
): Promise<Outcome[]> {
  const outcomes = new Map<Operation, Outcome>();
  const closes = operations.filter((operation) => operation.kind === 'close');
  const holds = operations.filter((operation) => operation.kind === 'hold');
  const sums = new Sums();
  if (closes.length > 0) await endCalls(trx, closes, sums, outcomes);
  if (closes.length > 0 && holds.length > 0) await lockAccounts(trx, sums, holds);
  await sums.write(trx);
  await touchTokens(trx, closes);
  if (holds.length > 0) await applyHolds(trx, holds, outcomes);
  return operations.map((operation) => outcomes.get(operation) ?? 'done');
}

async function touchTokens(
  trx: Knex.Transaction,
  closes: readonly CloseOperation[],
): Promise<void> {
  const used = closes.filter(
    (close) => close.tokenUsedAtSec !== undefined && close.charge?.tokenId,
  );
  if (used.length === 0) return;
  const ids = new Set(used.map((close) => close.charge?.tokenId ?? 0));
  const atSec = Math.max(...used.map((close) => close.tokenUsedAtSec ?? 0));
  await trx('tokens')
    .whereIn('id', [...ids])
    .update({ accessed_time: atSec });
}

/** Writes the rows of ended calls and collects in `sums` what they change of the accounts. */
async function endCalls(
  trx: Knex.Transaction,
  closes: readonly CloseOperation[],
  sums: Sums,
  outcomes: Map<Operation, Outcome>,
): Promise<void> {
  const charges = closes.flatMap((close) => (close.charge === undefined ? [] : [close.charge]));
  const fresh =
    charges.length === 0
      ? new Set<string>()
      : await insertNew(trx, 'ledger', charges.map(ledgerRow), 'key');
  const logs: LogRow[] = [];
  for (const close of closes) {
    // Taken out of the set, so that of two closes of one call in one batch only the first counts.
    const isRepeat = close.charge !== undefined && !fresh.delete(close.charge.key);
    outcomes.set(close, isRepeat ? 'repeat' : 'done');
    if (isRepeat) continue;
    if (close.charge !== undefined) addEntry(sums, close.charge);
    logs.push(...close.logs);
  }
  await insertLogs(trx, logs);
  await releaseHolds(
    trx,
    closes.filter((close) => close.hadHold).map((close) => close.requestId),
    sums,
  );
}

/**
 * Closes and holds of one batch update the same tables one after the other. Two nodes that did so
 * with different accounts would wait for each other in a circle; so all are locked before, in order.
 */
async function lockAccounts(
  trx: Knex.Transaction,
  sums: Sums,
  holds: readonly HoldOperation[],
): Promise<void> {
  const limited = holds.filter((hold) => hold.tokenUnits > 0);
  await lockRows(trx, 'users', [...sums.idsOf('users'), ...holds.map((hold) => hold.userId)]);
  await lockRows(trx, 'tokens', [...sums.idsOf('tokens'), ...limited.map((hold) => hold.tokenId)]);
}

/** Deletes open holds and takes them off `held`; one that is already gone changes nothing. */
async function releaseHolds(
  trx: Knex.Transaction,
  requestIds: readonly string[],
  sums: Sums,
): Promise<number> {
  if (requestIds.length === 0) return 0;
  const gone = await deleteReturning(trx, 'holds', 'request_id', requestIds, HOLD_COLUMNS);
  for (const hold of gone) {
    sums.add('users', Number(hold.user_id), { held: -Number(hold.user_units) });
    if (Number(hold.token_units) !== 0)
      sums.add('tokens', Number(hold.token_id), { held: -Number(hold.token_units) });
  }
  return gone.length;
}

const HOLD_COLUMNS = ['user_id', 'token_id', 'user_units', 'token_units'];

async function applyHolds(
  trx: Knex.Transaction,
  holds: readonly HoldOperation[],
  outcomes: Map<Operation, Outcome>,
): Promise<void> {
  // The rows first: one that is there already (a commit whose answer was lost) must not reserve again.
  const fresh = await insertNew(trx, 'holds', holds.map(holdRow), 'request_id');
  const wanted = holds.filter((hold) => fresh.delete(hold.requestId));
  for (const hold of holds) outcomes.set(hold, 'repeat');
  for (const hold of wanted) outcomes.set(hold, 'done');

  const fromUsers = wanted.map((hold) => ({ hold, id: hold.userId, units: hold.userUnits }));
  const heldByUser = await reserve(trx, 'users', fromUsers, 't.quota - t.held >= v.held');
  for (const hold of wanted) if (!heldByUser.has(hold)) outcomes.set(hold, 'user_short');

  const limited = [...heldByUser].filter((hold) => hold.tokenUnits > 0);
  const fromTokens = limited.map((hold) => ({ hold, id: hold.tokenId, units: hold.tokenUnits }));
  const heldByToken = await reserve(trx, 'tokens', fromTokens, 't.remain_quota - t.held >= v.held');
  const giveBack = new Sums();
  for (const hold of limited) {
    if (heldByToken.has(hold)) continue;
    outcomes.set(hold, 'token_short');
    giveBack.add('users', hold.userId, { held: -hold.userUnits });
  }
  await giveBack.write(trx);

  const refused = wanted.filter((hold) => outcomes.get(hold) !== 'done');
  const refusedIds = refused.map((hold) => hold.requestId);
  if (refused.length > 0) await trx('holds').whereIn('request_id', refusedIds).delete();
}

interface Wish {
  readonly hold: HoldOperation;
  readonly id: number;
  readonly units: number;
}

/**
 * Adds each wish to `held` where the balance allows it. Tried per account as one sum; only where
 * the sum is too much are that account's wishes tried one by one, in order.
 */
async function reserve(
  trx: Knex.Transaction,
  table: 'users' | 'tokens',
  wishes: readonly Wish[],
  condition: string,
): Promise<Set<HoldOperation>> {
  const granted = new Set<HoldOperation>();
  if (wishes.length === 0) return granted;
  const perAccount = new Map<number, Wish[]>();
  for (const wish of wishes) perAccount.set(wish.id, [...(perAccount.get(wish.id) ?? []), wish]);
  const sums = [...perAccount].map(([id, list]) => ({ id, held: total(list) }));
  const whole = await addTo(trx, table, sums, { where: condition });
  for (const [id, list] of perAccount) {
    if (whole.has(id)) {
      for (const wish of list) granted.add(wish.hold);
      continue;
    }
    if (list.length === 1) continue;
    for (const wish of list) {
      const done = await addTo(trx, table, [{ id, held: wish.units }], { where: condition });
      if (done.has(id)) granted.add(wish.hold);
    }
  }
  return granted;
}

function total(wishes: readonly Wish[]): number {
  return wishes.reduce((sum, wish) => sum + wish.units, 0);
}

/** What a ledger row changes of its accounts. */
function addEntry(sums: Sums, entry: Entry): void {
  const isCall = entry.cause === 'charge';
  const counts = isCall || entry.cause === 'refund';
  sums.add('users', entry.userId, {
    quota: entry.userUnits,
    used_quota: counts ? -entry.userUnits : 0,
    request_count: isCall ? 1 : 0,
  });
  const tokenUnits = entry.tokenUnits ?? 0;
  if (entry.tokenId && tokenUnits !== 0) {
    sums.add('tokens', entry.tokenId, {
      remain_quota: tokenUnits,
      used_quota: counts ? -tokenUnits : 0,
    });
  }
  const channelUnits = entry.channelUnits ?? 0;
  if (entry.channelId && channelUnits !== 0)
    sums.add('channels', entry.channelId, { used_quota: channelUnits });
}

/**
 * Posts one movement outside a batch (grants, edits, redemptions). `floor` refuses a movement that
 * would leave the user's free balance below it; null lets a balance go below zero.
 */
export async function post(
  trx: Knex.Transaction,
  entry: Entry,
  floor: number | null = null,
): Promise<'done' | 'repeat' | 'short'> {
  const fresh = await insertNew(trx, 'ledger', [ledgerRow(entry)], 'key');
  if (!fresh.has(entry.key)) return 'repeat';
  const sums = new Sums();
  addEntry(sums, entry);
  const bound: Record<string, string> =
    floor === null ? {} : { users: `t.quota - t.held + v.quota >= ${Math.trunc(floor)}` };
  if (await sums.write(trx, bound)) return 'done';
  await trx('ledger').where({ key: entry.key }).delete();
  return 'short';
}

/** Releases the holds of nodes that are gone. Returns how many there were. */
export async function releaseHoldsOf(
  trx: Knex.Transaction,
  requestIds: readonly string[],
): Promise<number> {
  const sums = new Sums();
  const released = await releaseHolds(trx, requestIds, sums);
  await sums.write(trx);
  return released;
}

function ledgerRow(entry: Entry): Record<string, string | number> {
  return {
    key: entry.key,
    cause: entry.cause,
    user_id: entry.userId,
    token_id: entry.tokenId ?? 0,
    channel_id: entry.channelId ?? 0,
    user_units: entry.userUnits,
    token_units: entry.tokenUnits ?? 0,
    channel_units: entry.channelUnits ?? 0,
    actor: entry.actor ?? '',
    detail: entry.detail ?? '',
    created_at: entry.createdAtSec,
  };
}

function holdRow(hold: HoldOperation): Record<string, string | number> {
  return {
    request_id: hold.requestId,
    user_id: hold.userId,
    token_id: hold.tokenId,
    user_units: hold.userUnits,
    token_units: hold.tokenUnits,
    node: hold.node,
    created_at: hold.createdAtSec,
    expires_at: hold.expiresAtSec,
  };
}
