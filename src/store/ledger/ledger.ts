/**
 * The ledger. Every change of a balance is one ledger row with a unique key; the balance columns of
 * users and tokens are sums of those rows and change in the same transaction. What a channel was
 * used for is summed later (`ledger-sums.ts`), because calls of all nodes share its row. A hold is a
 * reservation, not an entry: `held` is the sum of the open rows in `holds`. Both name the windows of
 * budgets in which they count.
 *
 * Writes of calls (holds, charges, log rows) are batched: `applyBatch` turns many operations into a
 * few multi-row statements. Invariant: an operation is applied entirely or not at all, and applying
 * it twice equals applying it once.
 */

import type { Knex } from 'knex';
import type { LogTable } from '../logs/log-database.ts';
import type { LogRow } from '../logs/log-row.ts';
import { insertLogs } from '../logs/log-rows.ts';
import { insertNew } from '../sql/inserts.ts';
import { deleteBackgroundResponse } from '../tables/background-answers-table.ts';
import { settleTask } from '../tables/task-rows.ts';
import { BalanceDeltas } from './balance-deltas.ts';
import { lockWindows, withWindows } from './budget-windows.ts';
import { lockRows } from './bulk-increments.ts';
import { applyHolds, releaseHolds, shrinkHolds } from './holds.ts';
import type {
  CloseOperation,
  Entry,
  HoldOperation,
  Operation,
  Outcome,
} from './ledger-operations.ts';

/**
 * Applies the operations of one batch inside `trx`; outcomes are in the order of `operations`.
 * Closes and shrinks go first, so that what they release is available to the holds of the batch.
 * `balances` receives the new balance of each user with a charge that sets `warnBelow`; log entries
 * are written to `logTable`.
 */
export async function applyBatch(
  trx: Knex.Transaction,
  operations: readonly Operation[],
  balances?: Map<number, number>,
  logTable: LogTable = 'logs',
): Promise<Outcome[]> {
  const outcomes = new Map<Operation, Outcome>();
  const closes = operations.filter((operation) => operation.kind === 'close');
  const holds = operations.filter((operation) => operation.kind === 'hold');
  const shrinks = operations.filter((operation) => operation.kind === 'shrink');
  const deltas = new BalanceDeltas();
  if (closes.length > 0)
    await insertLogs(trx, await endCalls(trx, closes, deltas, outcomes), logTable);
  await shrinkHolds(trx, shrinks, deltas);
  if (closes.length + shrinks.length > 0 && holds.length > 0)
    await lockAccounts(trx, deltas, holds);
  const hasThreshold = closes.some((close) => close.charge && close.warnBelow !== undefined);
  await deltas.write(trx, {}, hasThreshold ? balances : undefined);
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

/**
 * Writes the ledger rows of ended calls, collects their account changes in `sums` and returns their
 * log entries.
 */
async function endCalls(
  trx: Knex.Transaction,
  closes: readonly CloseOperation[],
  deltas: BalanceDeltas,
  outcomes: Map<Operation, Outcome>,
): Promise<LogRow[]> {
  const stale = await settledBefore(trx, closes);
  const charges = closes.flatMap((close) =>
    close.charge === undefined || stale.has(close) ? [] : [close.charge],
  );
  const fresh =
    charges.length === 0
      ? new Set<string>()
      : await insertNew(trx, 'ledger', ledgerRows(charges), 'key');
  const logs: LogRow[] = [];
  for (const close of closes) {
    // Removed from the set, so that of two closes of one call in a batch only the first counts.
    const isRepeat =
      stale.has(close) || (close.charge !== undefined && !fresh.delete(close.charge.key));
    outcomes.set(close, isRepeat ? 'repeat' : 'done');
    if (isRepeat) continue;
    if (close.charge !== undefined) addEntry(deltas, close.charge);
    logs.push(...close.logs);
  }
  await releaseHolds(
    trx,
    closes.filter((close) => close.hold !== undefined).map((close) => close.requestId),
    deltas,
  );
  return logs;
}

/** Closes of calls that are already settled or abandoned: they are no longer charged. */
async function settledBefore(
  trx: Knex.Transaction,
  closes: readonly CloseOperation[],
): Promise<ReadonlySet<CloseOperation>> {
  const stale = new Set<CloseOperation>();
  for (const close of closes) {
    const { task, inBackground, requestId } = close;
    const isStale =
      (task !== undefined && !(await settleTask(trx, task))) ||
      (inBackground === true && !(await deleteBackgroundResponse(trx, requestId)));
    if (isStale) stale.add(close);
  }
  return stale;
}

/**
 * Closes and holds of one batch update the same tables in turn. Two nodes doing so with different
 * accounts could deadlock, so all accounts are locked beforehand, in order.
 */
async function lockAccounts(
  trx: Knex.Transaction,
  deltas: BalanceDeltas,
  holds: readonly HoldOperation[],
): Promise<void> {
  const limited = holds.filter((hold) => hold.tokenUnits > 0);
  await lockRows(trx, 'users', [...deltas.idsOf('users'), ...holds.map((hold) => hold.userId)]);
  await lockRows(trx, 'tokens', [
    ...deltas.idsOf('tokens'),
    ...limited.map((hold) => hold.tokenId),
  ]);
  await lockWindows(trx, [
    ...deltas.windows.changes(),
    ...holds.flatMap(({ windows = [] }) => windows),
  ]);
}

/** Adds the account changes of a ledger row to `sums`. */
export function addEntry(deltas: BalanceDeltas, entry: Entry): void {
  const isCall = entry.cause === 'charge';
  const counts = isCall || entry.cause === 'refund' || entry.cause === 'past_charge';
  deltas.add('users', entry.userId, {
    quota: entry.userUnits,
    used_quota: counts ? -entry.userUnits : 0,
    request_count: isCall ? 1 : 0,
  });
  deltas.windows.add(entry.windows, 'spent');
  const tokenUnits = entry.tokenUnits ?? 0;
  if (entry.tokenId && tokenUnits !== 0) {
    deltas.add('tokens', entry.tokenId, {
      remain_quota: tokenUnits,
      used_quota: counts ? -tokenUnits : 0,
    });
  }
}

/**
 * Posts one entry outside a batch (grants, edits, redemptions). `floor` rejects an entry that would
 * take the user's available balance below it; null allows a negative balance.
 */
export async function post(
  trx: Knex.Transaction,
  entry: Entry,
  floor: number | null = null,
): Promise<'done' | 'repeat' | 'short'> {
  const fresh = await insertNew(trx, 'ledger', ledgerRows([entry]), 'key');
  if (!fresh.has(entry.key)) return 'repeat';
  const deltas = new BalanceDeltas();
  addEntry(deltas, entry);
  const bound: Record<string, string> =
    floor === null ? {} : { users: `t.quota - t.held + v.quota >= ${Math.trunc(floor)}` };
  if (await deltas.write(trx, bound)) return 'done';
  await trx('ledger').where({ key: entry.key }).delete();
  return 'short';
}

/** Posts entries that cannot be rejected, such as those of an import; repeats change nothing. */
export async function postAll(trx: Knex.Transaction, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const fresh = await insertNew(trx, 'ledger', ledgerRows(entries), 'key');
  const deltas = new BalanceDeltas();
  for (const entry of entries) if (fresh.delete(entry.key)) addEntry(deltas, entry);
  await deltas.write(trx);
}

export function ledgerRows(entries: readonly Entry[]): readonly object[] {
  return withWindows(entries.map(ledgerRow), entries);
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
