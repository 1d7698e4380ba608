/** Rows of `nodes`: the serving processes. */
import type { Knex } from 'knex';
import { nowSecSql } from '../connection/clock.ts';
import { readNumber, readText } from '../sql/read-rows.ts';
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
    id: readText(row.id),
    host: readText(row.host),
    pid: readNumber(row.pid),
    primaryPid: readNumber(row.primary_pid),
    version: readText(row.version),
    state: STATES.find((state) => state === row.state) ?? 'serving',
    calls: readNumber(row.calls),
    startedAtSec: readNumber(row.started_at),
    seenAtSec: readNumber(row.seen_at),
    silentSec: readNumber(row.now_sec) - readNumber(row.seen_at),
    skewMs: readNumber(row.skew_ms),
  }));
}
