/** Rows of `nodes`: the serving processes. */
import type { Knex } from 'knex';
import { nowSecSql } from '../connection/clock.ts';
import { numberValue, textValue } from '../sql/read-rows.ts';
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
    id: textValue(row.id),
    host: textValue(row.host),
    pid: numberValue(row.pid),
    primaryPid: numberValue(row.primary_pid),
    version: textValue(row.version),
    state: STATES.find((state) => state === row.state) ?? 'serving',
    calls: numberValue(row.calls),
    startedAtSec: numberValue(row.started_at),
    seenAtSec: numberValue(row.seen_at),
    silentSec: numberValue(row.now_sec) - numberValue(row.seen_at),
    skewMs: numberValue(row.skew_ms),
  }));
}
