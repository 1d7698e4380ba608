/** Rows of `nodes`: the serving processes. */
import type { Knex } from 'knex';
import { nowSecSql } from '../connection/clock.ts';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

/** `told`: asked to drain; `draining` and `drained` are then reported by the node itself. */
const STATES = ['serving', 'told', 'draining', 'drained'] as const;
export type NodeState = (typeof STATES)[number];

const NODES = rowReader({
  id: textValue,
  /** The scope in which its pid is unique. */
  host: textValue,
  pid: numberValue,
  primary_pid: numberValue,
  version: textValue,
  state: (value): NodeState => STATES.find((state) => state === value) ?? 'serving',
  calls: numberValue,
  /** Epoch seconds, like the next one. */
  started_at: numberValue,
  seen_at: numberValue,
  /** Since its latest heartbeat. */
  silent_sec: numberValue,
  /** Milliseconds by which its clock is ahead of the database's. */
  skew_ms: numberValue,
});
export type NodeRow = RowOf<typeof NODES>;

/** All nodes not removed from the list, oldest first. */
export async function nodeRows(db: Knex): Promise<NodeRow[]> {
  const rows: Row[] = await db('nodes')
    .select('*', db.raw(`${nowSecSql(db)} - seen_at as silent_sec`))
    .orderBy(['started_at', 'id']);
  return rows.map(NODES.read);
}
