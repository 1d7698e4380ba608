/**
 * The database's own clock. Decisions shared by several nodes (leases, heartbeats, the lifetime of
 * holds) use only this clock, so the nodes' clocks need not agree.
 */
import type { Knex } from 'knex';
import { numberValue } from '../sql/read-rows.ts';
import { engineOf, rowsOf } from '../sql/sql-dialect.ts';

const NOW_MS = {
  sqlite: "cast(unixepoch('subsec') * 1000 as integer)",
  postgres: 'cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)',
  // The statement's start time: after waiting for a row it is too early, never too late.
  mysql: 'cast(floor(unix_timestamp(now(3)) * 1000) as signed)',
} as const;

/** SQL for the database's time in epoch seconds, by engine. */
export const NOW_SEC = {
  sqlite: 'unixepoch()',
  postgres: 'cast(floor(extract(epoch from clock_timestamp())) as bigint)',
  mysql: 'cast(unix_timestamp() as signed)',
} as const;

/** SQL for the database's time in epoch milliseconds. */
export function nowMsSql(db: Knex): string {
  return NOW_MS[engineOf(db)];
}

/** SQL for the database's time in epoch seconds. */
export function nowSecSql(db: Knex): string {
  return NOW_SEC[engineOf(db)];
}

/**
 * Milliseconds by which the clock `now` is ahead of the database's, negative if it is behind;
 * accurate to half the query's round-trip time.
 */
export async function clockSkewMs(db: Knex, now: () => number): Promise<number> {
  const askedAtMs = now();
  const [row] = rowsOf(await db.raw(`select ${nowMsSql(db)} as now_ms`));
  return Math.round((askedAtMs + now()) / 2 - numberValue(row?.now_ms));
}
