/** Rows of `channel_test_runs`: tests of all channels in sequence. */
import type { Knex } from 'knex';
import { insertId } from '../sql/inserts.ts';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';

const RUNS = rowReader({
  id: numberValue,
  started_by: textValue,
  started_at_ms: numberValue,
  /** 0 while it runs, and permanently if its process was killed. */
  ended_at_ms: numberValue,
  /** The number of channels to test. */
  channels: numberValue,
});
export type ChannelTestRunRow = RowOf<typeof RUNS>;

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

export function testRunById(reads: Knex, id: number): Promise<ChannelTestRunRow | undefined> {
  return RUNS.first(reads('channel_test_runs').where({ id }));
}

export function latestTestRun(reads: Knex): Promise<ChannelTestRunRow | undefined> {
  return RUNS.first(reads('channel_test_runs').orderBy('id', 'desc'));
}
