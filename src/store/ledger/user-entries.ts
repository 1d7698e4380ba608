/** Reads the ledger entries of a user by time; only the index on user and id exists. */
import type { Knex } from 'knex';
import type { Movement, StatementSum } from '../../domain/statement.ts';
import { numberValue, textValue } from '../sql/read-rows.ts';
import { engineOf, type Row } from '../sql/sql-dialect.ts';

/** Epoch seconds; the end is excluded. */
export interface EntrySpan {
  readonly fromSec: number;
  readonly toSec: number;
}

/**
 * Entries are appended as they happen, but clocks of nodes differ, and a charge is committed later
 * than it is made. So the ids of a span are taken this much wider.
 */
const SLACK_SEC = 86_400;

/** Sums of the entries of each day by cause and model; of the last bound on, none. */
export async function daySumsOfUser(
  reads: Knex,
  userId: number,
  bounds: readonly number[],
): Promise<StatementSum[]> {
  const span = { fromSec: bounds[0] ?? 0, toSec: bounds.at(-1) ?? 0 };
  const rows: Row[] = await reads('ledger')
    .where(await entriesIn(reads, userId, span))
    .select({
      day_index: reads.raw(`case ${bounds.slice(1, -1).map(dayCase).join(' ')} else ? end`, [
        bounds.length - 2,
      ]),
      kind: reads.raw(KIND),
      model: reads.raw(`case when ${KIND} = 'other' then '' else ${modelOf(reads)} end`),
      entries: reads.raw('count(*)'),
      credits: reads.raw('sum(case when user_units > 0 then user_units else 0 end)'),
      debits: reads.raw('sum(case when user_units < 0 then user_units else 0 end)'),
    })
    .groupBy('day_index', 'kind', 'model');
  return rows.map((row) => ({
    dayIndex: numberValue(row.day_index),
    cause: causeOf(textValue(row.kind)),
    model: textValue(row.model),
    entries: numberValue(row.entries),
    credits: numberValue(row.credits),
    debits: numberValue(row.debits),
  }));
}

const KIND = `case when cause in ('charge', 'refund') then cause else 'other' end`;

function causeOf(kind: string): StatementSum['cause'] {
  return kind === 'charge' || kind === 'refund' ? kind : 'other';
}

function dayCase(endSec: number, index: number): string {
  return `when created_at < ${endSec} then ${index}`;
}

/** The model in the detail of an entry, '' without one; names that differ in case stay apart. */
function modelOf(reads: Knex): string {
  const found = {
    sqlite: `case when json_valid(detail) then json_extract(detail, '$.model') end`,
    postgres: `case when detail like '{%' then detail::json ->> 'model' end`,
    mysql: `case when json_valid(detail) then
      convert(json_unquote(json_extract(detail, '$.model')) using utf8mb4) collate utf8mb4_bin end`,
  }[engineOf(reads)];
  return `coalesce(${found}, '')`;
}

/** The first changes of a span that are neither charges nor refunds. */
export async function movementsOfUser(
  reads: Knex,
  userId: number,
  span: EntrySpan,
  limit: number,
): Promise<Movement[]> {
  const rows: Row[] = await reads('ledger')
    .where(await entriesIn(reads, userId, span))
    .whereNotIn('cause', ['charge', 'refund'])
    .orderBy('id')
    .limit(limit)
    .select('cause', 'user_units', 'created_at');
  return rows.map((row) => ({
    cause: textValue(row.cause),
    created_at: numberValue(row.created_at),
    units: numberValue(row.user_units),
  }));
}

/** The condition of the entries of a span; those that move no units are left out. */
async function entriesIn(
  reads: Knex,
  userId: number,
  { fromSec, toSec }: EntrySpan,
): Promise<(query: Knex.QueryBuilder) => void> {
  const firstId = await firstIdAt(reads, userId, fromSec - SLACK_SEC);
  const endId = await firstIdAt(reads, userId, toSec + SLACK_SEC);
  return (query) => {
    query
      .where('user_id', userId)
      .where('created_at', '>=', fromSec)
      .where('created_at', '<', toSec)
      .whereNot('user_units', 0);
    if (firstId === undefined) query.whereRaw('1 = 0');
    else query.where('id', '>=', firstId);
    if (endId !== undefined) query.where('id', '<', endId);
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
