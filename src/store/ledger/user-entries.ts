/** Reads the ledger entries of a user by time, in pages; only the index on user and id exists. */
import type { Knex } from 'knex';
import { numberValue, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

/** Epoch seconds; the end is excluded. */
export interface EntrySpan {
  readonly fromSec: number;
  readonly toSec: number;
}

export interface BalanceEntry {
  readonly cause: string;
  readonly units: number;
  readonly created_at: number;
  /** JSON text. */
  readonly detail: string;
}

/**
 * Entries are appended as they happen, but clocks of nodes differ, and a charge is committed later
 * than it is made. So the ids of a span are taken this much wider.
 */
const SLACK_SEC = 86_400;

const PAGE_ROWS = 2_000;

/** The pages of the entries of a span, in the order of their ids; those that move no units are left out. */
export async function* entriesOfUser(
  reads: Knex,
  userId: number,
  { fromSec, toSec }: EntrySpan,
): AsyncGenerator<readonly BalanceEntry[]> {
  const endId = await firstIdAt(reads, userId, toSec + SLACK_SEC);
  let nextId = await firstIdAt(reads, userId, fromSec - SLACK_SEC);
  while (nextId !== undefined) {
    const query = reads('ledger')
      .where('user_id', userId)
      .where('id', '>=', nextId)
      .orderBy('id')
      .limit(PAGE_ROWS)
      .select('id', 'cause', 'user_units', 'created_at', 'detail');
    if (endId !== undefined) query.where('id', '<', endId);
    const rows: Row[] = await query;
    yield rows.map(readEntry).filter(({ units, created_at: at }) => {
      return units !== 0 && at >= fromSec && at < toSec;
    });
    const lastId = numberValue(rows.at(-1)?.id);
    nextId = rows.length < PAGE_ROWS ? undefined : lastId + 1;
  }
}

function readEntry(row: Row): BalanceEntry {
  return {
    cause: textValue(row.cause),
    units: numberValue(row.user_units),
    created_at: numberValue(row.created_at),
    detail: textValue(row.detail),
  };
}

/** The units of all entries from this moment on. */
export async function unitsSince(reads: Knex, userId: number, fromSec: number): Promise<number> {
  const firstId = await firstIdAt(reads, userId, fromSec - SLACK_SEC);
  if (firstId === undefined) return 0;
  const row: Row | undefined = await reads('ledger')
    .where('user_id', userId)
    .where('id', '>=', firstId)
    .where('created_at', '>=', fromSec)
    .sum({ units: 'user_units' })
    .first();
  return numberValue(row?.units);
}

/** The id of the user's first entry from this moment on, found in about log2(entries of the site) reads. */
async function firstIdAt(reads: Knex, userId: number, atSec: number): Promise<number | undefined> {
  const last = await entryFrom(reads, userId, 0, 'desc');
  if (last === undefined || last.created_at < atSec) return undefined;
  let low = 0;
  let high = last.id;
  // All entries below `low` are before the moment, that of `high` is not.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const entry = await entryFrom(reads, userId, middle, 'asc');
    if (entry === undefined || entry.created_at >= atSec) high = middle;
    else low = entry.id + 1;
  }
  return low;
}

async function entryFrom(reads: Knex, userId: number, id: number, order: 'asc' | 'desc') {
  const row: Row | undefined = await reads('ledger')
    .where('user_id', userId)
    .where('id', '>=', id)
    .orderBy('id', order)
    .first('id', 'created_at');
  return row && { id: numberValue(row.id), created_at: numberValue(row.created_at) };
}
