/**
 * The statements that commit a batch of holds and closes in one round trip. They follow the rules of
 * `applyBatch`, which decides the rare cases: a statement that finds one of them fails on purpose,
 * so that the whole batch is rolled back.
 */
import { NOW_SEC } from '../connection/clock.ts';
import type { LogTable } from '../logs/log-database.ts';
import { withOutboxKeys } from '../logs/log-rows.ts';
import { insertScript } from '../sql/inserts.ts';
import { arrayLiteral, textLiteral } from '../sql/sql-dialect.ts';
import { BalanceDeltas } from './balance-deltas.ts';
import {
  coveredWindowsSql,
  WindowDeltas,
  windowsText,
  windowUpdates,
  withWindows,
} from './budget-windows.ts';
import { exact, IN_ID_ORDER, incrementScript, integersLiteral } from './bulk-increments.ts';
import { addEntry, ledgerRows } from './ledger.ts';
import type { CloseOperation, HeldUnits, HoldOperation, Operation } from './ledger-operations.ts';

type ScriptEngine = 'sqlite' | 'postgres';

export interface BatchScript {
  readonly statements: readonly string[];
  /** Index of the statement that returns the users' new balances (PostgreSQL); undefined if none. */
  readonly balancesAt: number | undefined;
}

/**
 * Undefined for a batch that `applyBatch` must do: with a task, a background call or a hold that
 * shrinks, or with a text that has no literal.
 */
export function batchScriptOf(
  engine: ScriptEngine,
  operations: readonly Operation[],
  logTable: LogTable,
): BatchScript | undefined {
  if (operations.some(({ kind }) => kind === 'shrink')) return undefined;
  const holds = operations.filter((operation) => operation.kind === 'hold');
  const closes = operations.filter((operation) => operation.kind === 'close');
  if (closes.some(({ task, inBackground }) => task !== undefined || inBackground)) return undefined;
  const inserts = insertsOf(engine, { closes, holds }, logTable);
  const released = releases(engine, closes);
  if (inserts === undefined || released === undefined) return undefined;
  const deltas = deltasOf(closes, holds);
  const increments = deltas.increments();
  const hasOrder = increments.some(({ increments }) => increments.length > 1);
  const before = [
    ...inserts.calls,
    ...released,
    ...inserts.holds,
    ...(engine === 'postgres' && hasOrder ? [IN_ID_ORDER] : []),
  ];
  const hasUsers = increments[0]?.table === 'users';
  return {
    statements: [
      ...before,
      ...increments.flatMap(({ table, increments }) =>
        incrementScript(engine, {
          table,
          increments,
          ...(table === 'users' ? { column: 'quota' } : {}),
        }),
      ),
      ...tokenUseUpdates(engine, closes),
      ...windowUpdates(deltas.windows.changes()),
      ...coverChecks(engine, holds),
      ...(engine === 'sqlite' ? thresholdChecks(closes) : []),
    ],
    balancesAt: hasUsers ? before.length : undefined,
  };
}

interface Batch {
  readonly closes: readonly CloseOperation[];
  readonly holds: readonly HoldOperation[];
}

/** A repeated charge or hold violates a unique index. */
function insertsOf(engine: ScriptEngine, { closes, holds }: Batch, logTable: LogTable) {
  const charges = closes.map(({ charge }) => charge).filter((charge) => charge !== undefined);
  const logs = closes.flatMap((close) => close.logs);
  const ledgerSql = charges.length === 0 ? '' : insertScript(engine, 'ledger', ledgerRows(charges));
  const logsSql =
    logs.length === 0 ? '' : insertScript(engine, logTable, withOutboxKeys(logs, logTable));
  const holdsSql = holds.length === 0 ? '' : holdsText(engine, holds);
  if (ledgerSql === undefined || logsSql === undefined || holdsSql === undefined) return undefined;
  return {
    calls: [ledgerSql, logsSql].filter((sql) => sql !== ''),
    holds: holdsSql === '' ? [] : [holdsSql],
  };
}

function holdsText(engine: ScriptEngine, holds: readonly HoldOperation[]): string | undefined {
  const rows = holds.map(({ requestId, node, createdAtSec, lifetimeSec, ...units }) => ({
    request_id: requestId,
    node,
    user_id: units.userId,
    token_id: units.tokenId,
    user_units: units.userUnits,
    token_units: units.tokenUnits,
    created_at: createdAtSec,
    expires_at: lifetimeSec,
  }));
  return insertScript(engine, 'holds', withWindows(rows, holds), { expires_at: NOW_SEC[engine] });
}

/** Deletes the holds of ended calls. Fails if one is missing, or has other accounts, amounts or windows. */
function releases(engine: ScriptEngine, closes: readonly CloseOperation[]): string[] | undefined {
  const held = closes.flatMap(({ requestId, hold }) =>
    hold === undefined ? [] : [{ requestId, hold }],
  );
  if (held.length === 0) return [];
  return engine === 'postgres' ? releasesPostgres(held) : releasesSqlite(held);
}

type Held = readonly { readonly requestId: string; readonly hold: HeldUnits }[];

const HOLD_COLUMNS = 'request_id, user_id, token_id, user_units, token_units, windows';
/** A hold without windows has null, which equals nothing. */
const HOLD_VALUES =
  "request_id, user_id, token_id, user_units, token_units, coalesce(windows, '') as windows";

function releasesPostgres(held: Held): string[] | undefined {
  const ids = arrayLiteral(held.map(({ requestId }) => requestId));
  if (ids === undefined) return undefined;
  const numbers = (['userId', 'tokenId', 'userUnits', 'tokenUnits'] as const).map((name) =>
    integersLiteral(held.map(({ hold }) => hold[name])),
  );
  const windows = arrayLiteral(held.map(({ hold }) => textOfWindows(hold)));
  if (windows === undefined) return undefined;
  return [
    `with released as (delete from holds where request_id = any(${ids}) returning ${HOLD_VALUES})
     select ${FAIL.postgres('n')} from (select count(*) as n from released
       where (${HOLD_COLUMNS}) in (select * from unnest(${ids},${numbers.join(',')},${windows}))) as s
     where n <> ${held.length}`,
  ];
}

function releasesSqlite(held: Held): string[] | undefined {
  const ids: string[] = [];
  const rows: string[] = [];
  for (const { requestId, hold } of held) {
    const id = textLiteral('sqlite', requestId);
    const windows = textLiteral('sqlite', textOfWindows(hold));
    if (id === undefined || windows === undefined) return undefined;
    const { userId, tokenId, userUnits, tokenUnits } = hold;
    ids.push(id);
    const numbers = [userId, tokenId, userUnits, tokenUnits].map(exact);
    rows.push(`(${id},${numbers.join(',')},${windows})`);
  }
  const chosen = `from holds where request_id in (${ids.join(',')})`;
  const countSame = `select count(*) as n from released where (${HOLD_COLUMNS}) in (values ${rows.join(',')})`;
  const check = `select ${FAIL.sqlite('n')} from (${countSame}) as s where n <> ${ids.length}`;
  return [`with released as (select ${HOLD_VALUES} ${chosen}) ${check}`, `delete ${chosen}`];
}

function textOfWindows({ windows }: HeldUnits): string {
  return windows === undefined ? '' : windowsText(windows);
}

function deltasOf(
  closes: readonly CloseOperation[],
  holds: readonly HoldOperation[],
): BalanceDeltas {
  const deltas = new BalanceDeltas();
  for (const { charge, hold } of closes) {
    if (charge !== undefined) addEntry(deltas, charge);
    if (hold !== undefined) addHeld(deltas, hold, -1);
  }
  for (const hold of holds) addHeld(deltas, hold, 1);
  return deltas;
}

function addHeld(deltas: BalanceDeltas, hold: HeldUnits, sign: 1 | -1): void {
  deltas.add('users', hold.userId, { held: sign * hold.userUnits });
  if (hold.tokenUnits !== 0) deltas.add('tokens', hold.tokenId, { held: sign * hold.tokenUnits });
  deltas.windows.add(hold.windows, 'held', sign);
}

function tokenUseUpdates(engine: ScriptEngine, closes: readonly CloseOperation[]): string[] {
  const ids = new Set<number>();
  let atSec = 0;
  for (const { tokenUsedAtSec, charge } of closes) {
    if (tokenUsedAtSec === undefined || !charge?.tokenId) continue;
    ids.add(charge.tokenId);
    atSec = Math.max(atSec, tokenUsedAtSec);
  }
  if (ids.size === 0) return [];
  return [`update tokens set accessed_time = ${exact(atSec)} where ${idAmong(engine, ids)}`];
}

/** Fails unless every account that holds units covers all of its holds. */
function coverChecks(engine: ScriptEngine, holds: readonly HoldOperation[]): string[] {
  const users = new Set(holds.map(({ userId }) => userId));
  const limited = holds.filter(({ tokenUnits }) => tokenUnits !== 0);
  const tokens = new Set(limited.map(({ tokenId }) => tokenId));
  return [
    ...coverCheck(engine, 'users', 'quota', users),
    ...coverCheck(engine, 'tokens', 'remain_quota', tokens),
    ...roomCheck(engine, holds),
  ];
}

/** Fails unless the windows have room for all holds; also for a window that was deleted. */
function roomCheck(engine: ScriptEngine, holds: readonly HoldOperation[]): string[] {
  const windows = new WindowDeltas();
  for (const hold of holds) windows.add(hold.windows, 'held');
  const reserved = windows.changes().filter(({ held }) => held > 0);
  if (reserved.length === 0) return [];
  const covered = coveredWindowsSql(reserved, NOW_SEC[engine]);
  return [`select ${FAIL[engine]('n')} from (${covered}) as s where n <> ${reserved.length}`];
}

function coverCheck(
  engine: ScriptEngine,
  table: 'users' | 'tokens',
  balance: string,
  ids: ReadonlySet<number>,
): string[] {
  if (ids.size === 0) return [];
  const covered = `select count(*) as n from ${table} where ${idAmong(engine, ids)} and ${balance} >= held`;
  return [`select ${FAIL[engine]('n')} from (${covered}) as s where n <> ${ids.size}`];
}

/**
 * A script on SQLite returns nothing, and querying the balances would double its cost. So it fails
 * on the rare charge that takes a balance below its warning threshold, and the general path reports
 * it.
 */
function thresholdChecks(closes: readonly CloseOperation[]): string[] {
  const charged = new Map<number, number>();
  for (const { charge } of closes)
    if (charge !== undefined)
      charged.set(charge.userId, (charged.get(charge.userId) ?? 0) - charge.userUnits);
  const ids = new Set<number>();
  const crossings = new Set<string>();
  for (const { charge, warnBelow } of closes) {
    if (charge === undefined || warnBelow === undefined) continue;
    const { userId } = charge;
    // Balances are integers: below 0.5 means below 1.
    const below = Math.min(Math.ceil(warnBelow), Number.MAX_SAFE_INTEGER);
    const units = charged.get(userId) ?? 0;
    ids.add(userId);
    crossings.add(`(id = ${userId} and quota < ${below} and quota + ${units} >= ${below})`);
  }
  if (ids.size === 0) return [];
  return [
    `select ${FAIL.sqlite('id')} from users where ${idAmong('sqlite', ids)} and (${[...crossings].join(' or ')})`,
  ];
}

/**
 * SQL that fails for each selected row. It refers to a column of at least 0, because a constant
 * would be evaluated, and fail, without a row.
 */
const FAIL = {
  /** `abs` of the smallest integer is an error (sqlite.org/lang_corefunc.html#abs). */
  sqlite: (column: string) => `abs(-9223372036854775807 - (${column} >= 0))`,
  postgres: (column: string) => `1 / (case when ${column} >= 0 then 0 else 1 end)`,
} as const;

function idAmong(engine: ScriptEngine, ids: ReadonlySet<number>): string {
  if (engine === 'postgres') return `id = any(${integersLiteral([...ids])})`;
  return `id in (${[...ids].map(exact).join(',')})`;
}
