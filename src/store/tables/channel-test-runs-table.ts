/** Rows of `channel_test_runs`: tests of all channels in sequence. */
import type { Knex } from 'knex';
import { insertId } from '../sql/inserts.ts';
import { numberValue, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

export interface ChannelTestRunRow {
  readonly id: number;
  readonly started_by: string;
  readonly started_at_ms: number;
  /** 0 while it runs, and permanently if its process was killed. */
  readonly ended_at_ms: number;
  /** The number of channels to test. */
  readonly channels: number;
}

/** The number of runs kept for viewing. */
const RETAINED_RUNS = 50;

export async function insertTestRun(
  db: Knex,
  run: { readonly started_by: string; readonly started_at_ms: number; readonly channels: number },
): Promise<number> {
  const id = await insertId(db, 'channel_test_runs', run);
  await db('channel_test_runs')
    .where('id', '<=', id - RETAINED_RUNS)
    .delete();
  return id;
}

/** False if it had already ended. */
export async function endTestRun(db: Knex, id: number, endedAtMs: number): Promise<boolean> {
  const run = db('channel_test_runs').where({ id, ended_at_ms: 0 });
  return (await run.update({ ended_at_ms: endedAtMs })) > 0;
}

export async function testRunById(reads: Knex, id: number): Promise<ChannelTestRunRow | undefined> {
  return readRun(await reads('channel_test_runs').where({ id }).first('*'));
}

export async function latestTestRun(reads: Knex): Promise<ChannelTestRunRow | undefined> {
  return readRun(await reads('channel_test_runs').orderBy('id', 'desc').first('*'));
}

function readRun(row: Row | undefined): ChannelTestRunRow | undefined {
  if (row === undefined) return undefined;
  return {
    id: numberValue(row.id),
    started_by: textValue(row.started_by),
    started_at_ms: numberValue(row.started_at_ms),
    ended_at_ms: numberValue(row.ended_at_ms),
    channels: numberValue(row.channels),
  };
}
