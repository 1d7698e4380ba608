/** Rows of `nodes`: the serving processes. */
import type { Knex } from 'knex';
import { nowSecSql } from '../connection/clock.ts';
import { numberColumn, textColumn } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

/** `told`: asked to drain; `draining` and `drained` are then reported by the node itself. */
const STATES = ['serving', 'told', 'draining', 'drained'] as const;
export type NodeState = (typeof STATES)[number];

export interface NodeRow {
  readonly id: string;
  /** The scope in which its pid is unique. */
  readonly host: string;
  readonly pid: number;
  readonly primaryPid: number;
  readonly version: string;
  readonly state: NodeState;
  readonly calls: number;
  readonly startedAtSec: number;
  readonly seenAtSec: number;
  /** Since its latest heartbeat. */
  readonly silentSec: number;
  /** Milliseconds by which its clock is ahead of the database's. */
  readonly skewMs: number;
}

/** All nodes not removed from the list, oldest first. */
export async function nodeRows(db: Knex): Promise<NodeRow[]> {
  const rows: Row[] = await db('nodes')
    .select('*', db.raw(`${nowSecSql(db)} as now_sec`))
    .orderBy(['started_at', 'id']);
  return rows.map((row) => ({
    id: textColumn(row.id),
    host: textColumn(row.host),
    pid: numberColumn(row.pid),
    primaryPid: numberColumn(row.primary_pid),
    version: textColumn(row.version),
    state: STATES.find((state) => state === row.state) ?? 'serving',
    calls: numberColumn(row.calls),
    startedAtSec: numberColumn(row.started_at),
    seenAtSec: numberColumn(row.seen_at),
    silentSec: numberColumn(row.now_sec) - numberColumn(row.seen_at),
    skewMs: numberColumn(row.skew_ms),
  }));
}
