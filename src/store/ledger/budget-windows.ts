/**
 * Windows of budgets in the ledger: what entries and holds count in them. Windows are locked after
 * users and tokens, in the order of their keys.
 */
import type { Knex } from 'knex';
import type { WindowAmount } from '../../domain/budgets/budget.ts';
import { nowSecSql } from '../connection/clock.ts';
import { numberValue } from '../sql/read-rows.ts';
import { chunksOf, engineOf, rowsOf } from '../sql/sql-dialect.ts';
import { exact } from './bulk-increments.ts';

export interface WindowChange {
  readonly budgetId: number;
  readonly startsAtSec: number;
  spent: number;
  held: number;
}

type WindowKey = Pick<WindowAmount, 'budgetId' | 'startsAtSec'>;

const MAX_KEYS = 500;

/** Changes collected per window, so that each window is updated once per batch. */
export class WindowDeltas {
  readonly #changes = new Map<string, WindowChange>();

  add(
    windows: readonly WindowAmount[] | undefined,
    column: 'spent' | 'held',
    sign: 1 | -1 = 1,
  ): void {
    if (windows === undefined) return;
    for (const { budgetId, startsAtSec, amount } of windows) {
      const name = nameOf({ budgetId, startsAtSec });
      const change = this.#changes.get(name) ?? { budgetId, startsAtSec, spent: 0, held: 0 };
      change[column] += sign * amount;
      this.#changes.set(name, change);
    }
  }

  /** In the order in which windows are locked. */
  changes(): readonly WindowChange[] {
    return this.#changes.size < 2 ? [...this.#changes.values()] : inOrder(this.#changes.values());
  }

  /** A window that was deleted is left out. */
  async write(trx: Knex.Transaction): Promise<void> {
    const changes = this.changes();
    if (engineOf(trx) !== 'mysql') {
      for (const sql of windowUpdates(changes)) await trx.raw(sql);
      return;
    }
    for (const part of chunksOf(changes, MAX_KEYS)) await trx.raw(updateMysql(part));
  }
}

/** One statement per window, for every database. */
export function windowUpdates(changes: readonly WindowChange[]): string[] {
  return changes
    .filter(({ spent, held }) => spent !== 0 || held !== 0)
    .map(
      ({ budgetId, startsAtSec, spent, held }) =>
        `update budget_windows set spent = spent + ${exact(spent)}${held === 0 ? '' : `, held = held + ${exact(held)}`} where budget_id = ${exact(budgetId)} and starts_at = ${exact(startsAtSec)}`,
    );
}

function updateMysql(changes: readonly WindowChange[]): string {
  const given = changes.map(
    ({ budgetId, startsAtSec, spent, held }) =>
      `select ${exact(budgetId)} as budget_id, ${exact(startsAtSec)} as starts_at, ${exact(spent)} as spent, ${exact(held)} as held`,
  );
  return `update (${given.join(' union all ')}) as v straight_join budget_windows as w
    on w.budget_id = v.budget_id and w.starts_at = v.starts_at
    set w.spent = w.spent + v.spent, w.held = w.held + v.held`;
}

/** What a window of a budget may use at a moment, by the database's clock. */
function limitSql(now: string): string {
  return `(b.limit_amount + case when b.raised_until > ${now} then b.raised_amount else 0 end)`;
}

/** SQL for a budget `b` that refuses nothing. */
const NEVER_REFUSES = `(b.status <> 1 or b.shadow)`;

/**
 * Counts those of the windows that have room for what is spent and held, as `n`. Not for MySQL. A
 * window that does not exist is not counted.
 */
export function coveredWindowsSql(windows: readonly WindowKey[], now: string): string {
  return `select count(*) as n from budget_windows w join budgets b on b.id = w.budget_id
    where (w.budget_id, w.starts_at) in (values ${keysText(windows)})
      and (${NEVER_REFUSES} or w.spent + w.held <= ${limitSql(now)})`;
}

/** What is free in a window; `Infinity` if its budget refuses nothing. */
type Room = Map<string, number>;

interface WindowHold {
  readonly windows?: readonly WindowAmount[] | undefined;
}

/**
 * Adds each hold to `held` of its windows if all of them have room, in the order given. Returns those
 * that were refused, with the id of the budget that lacks room. A deleted window counts nothing.
 */
export async function reserveWindows<Hold extends WindowHold>(
  trx: Knex.Transaction,
  holds: readonly Hold[],
): Promise<ReadonlyMap<Hold, number>> {
  const refused = new Map<Hold, number>();
  const counted = holds.filter(({ windows }) => windows !== undefined);
  if (counted.length === 0) return refused;
  const room = await lockedRoom(
    trx,
    counted.flatMap(({ windows = [] }) => windows),
  );
  const deltas = new WindowDeltas();
  for (const hold of counted) {
    const { windows = [] } = hold;
    const short = windows.find(
      (window) => window.amount > 0 && window.amount > roomFor(room, window),
    );
    if (short !== undefined) {
      refused.set(hold, short.budgetId);
      continue;
    }
    for (const window of windows) room.set(nameOf(window), roomFor(room, window) - window.amount);
    deltas.add(windows, 'held');
  }
  await deltas.write(trx);
  return refused;
}

function roomFor(room: Room, window: WindowKey): number {
  return room.get(nameOf(window)) ?? Number.POSITIVE_INFINITY;
}

/** Locks windows until the transaction ends. Not needed on SQLite, which has a single writer. */
export async function lockWindows(
  trx: Knex.Transaction,
  windows: readonly WindowKey[],
): Promise<void> {
  if (windows.length > 0 && engineOf(trx) !== 'sqlite') await lockedRoom(trx, windows);
}

async function lockedRoom(trx: Knex.Transaction, windows: readonly WindowKey[]): Promise<Room> {
  const keys = inOrder(new Map(windows.map((window) => [nameOf(window), window])).values());
  const room: Room = new Map();
  const free = `case when ${NEVER_REFUSES} then null else ${limitSql(nowSecSql(trx))} - w.spent - w.held end`;
  for (const part of chunksOf(keys, MAX_KEYS)) {
    const columns = `w.budget_id as budget_id, w.starts_at as starts_at, ${free} as free`;
    for (const row of rowsOf(await trx.raw(`select ${columns} ${LOCKED[engineOf(trx)](part)}`)))
      room.set(
        nameOf({ budgetId: numberValue(row.budget_id), startsAtSec: numberValue(row.starts_at) }),
        row.free === null ? Number.POSITIVE_INFINITY : numberValue(row.free),
      );
  }
  return room;
}

const JOINED = 'from budget_windows w join budgets b on b.id = w.budget_id';

const LOCKED = {
  sqlite: (keys: readonly WindowKey[]) =>
    `${JOINED} where (w.budget_id, w.starts_at) in (values ${keysText(keys)})`,
  postgres: (keys: readonly WindowKey[]) =>
    `${JOINED} where (w.budget_id, w.starts_at) in (values ${keysText(keys)})
     order by w.budget_id, w.starts_at for no key update of w`,
  /** Locks the rows of budgets too, before their windows, as `openBudgetWindow` does. */
  mysql: (keys: readonly WindowKey[]) => {
    const given = keys.map(
      ({ budgetId, startsAtSec }) =>
        `select ${exact(budgetId)} as budget_id, ${exact(startsAtSec)} as starts_at`,
    );
    return `from (${given.join(' union all ')}) as v straight_join budgets as b on b.id = v.budget_id
      straight_join budget_windows as w on w.budget_id = v.budget_id and w.starts_at = v.starts_at
      for update`;
  },
} as const;

function keysText(keys: readonly WindowKey[]): string {
  return keys
    .map(({ budgetId, startsAtSec }) => `(${exact(budgetId)},${exact(startsAtSec)})`)
    .join(',');
}

function nameOf({ budgetId, startsAtSec }: WindowKey): string {
  return `${budgetId}:${startsAtSec}`;
}

function inOrder<Key extends WindowKey>(keys: Iterable<Key>): Key[] {
  return [...keys].sort((a, b) => a.budgetId - b.budgetId || a.startsAtSec - b.startsAtSec);
}

/** The rows of holds or entries with the column `windows`, which a batch without any omits. */
export function withWindows(
  rows: readonly object[],
  named: readonly WindowHold[],
): readonly object[] {
  if (named.every(({ windows }) => windows === undefined)) return rows;
  return rows.map((row, at) => {
    const windows = named[at]?.windows;
    return { ...row, windows: windows === undefined ? null : windowsText(windows) };
  });
}

export function windowsText(windows: readonly WindowAmount[]): string {
  return JSON.stringify(
    windows.map(({ budgetId, startsAtSec, amount }) => [budgetId, startsAtSec, amount]),
  );
}

/** Reads the column `windows` of a hold or an entry; null reads as undefined. */
export function windowsIn(text: unknown): readonly WindowAmount[] | undefined {
  if (typeof text !== 'string') return undefined;
  const list: readonly (readonly [number, number, number])[] = JSON.parse(text); // written above
  return list.map(([budgetId, startsAtSec, amount]) => ({ budgetId, startsAtSec, amount }));
}
