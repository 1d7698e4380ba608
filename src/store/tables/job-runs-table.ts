/**
 * The last run of each background job, next to the lease of the same name that guards it. All times
 * are the database's.
 */
import type { Knex } from 'knex';
import { nowMsSql } from '../connection/clock.ts';
import { insertOnce } from '../sql/inserts.ts';
import { fromColumn, numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { ensureLease, type Lease, releaseLease } from './leases-table.ts';

/** '' is never; `interrupted` was started and released unfinished. */
export type JobRunOutcome = '' | 'running' | 'done' | 'failed' | 'timed_out' | 'interrupted';

/** The last run's steps, such as log entries; both 0 if it does not count them. */
export interface JobProgress {
  readonly done: number;
  readonly total: number;
}

const RUNS = rowReader({
  name: textValue,
  knownSinceMs: fromColumn('known_since_ms', numberValue),
  startedAtMs: fromColumn('started_at_ms', numberValue),
  /** 0 while it runs. */
  finishedAtMs: fromColumn('finished_at_ms', numberValue),
  outcome: (value: unknown) => textValue(value) as JobRunOutcome, // only this file writes the column
  error: textValue,
  done: fromColumn('progress_done', numberValue),
  total: fromColumn('progress_total', numberValue),
  /** How often in a row it was started without finishing. */
  tries: numberValue,
  /** The node that last ran it. */
  holder: textValue,
  /** Who requested a run; '' if none is requested. */
  requestedBy: fromColumn('requested_by', textValue),
  /** Whether the job's lease is held at `nowMs`. */
  isHeld: fromColumn('held_for_ms', (value) => numberValue(value) > 0),
  nowMs: fromColumn('now_ms', numberValue),
});
export type JobRun = RowOf<typeof RUNS>;

/** Creates the row of a job that this database does not have yet. */
export async function ensureJob(db: Knex, name: string): Promise<void> {
  await ensureLease(db, name);
  const [clock]: Row[] = await db.select(db.raw(`${nowMsSql(db)} as now_ms`));
  await insertOnce(db, 'job_runs', { name, known_since_ms: numberValue(clock?.now_ms) }, 'name');
}

export async function jobRuns(db: Knex): Promise<JobRun[]> {
  const rows: Row[] = await runs(db).orderBy('r.name');
  return rows.map(RUNS.read);
}

/** The job's row, locked until the transaction ends. */
export async function lockJobRun(trx: Knex.Transaction, name: string): Promise<JobRun | undefined> {
  await trx('job_runs').where({ name }).forUpdate().first('name');
  const row: Row | undefined = await runs(trx).where('r.name', name).first();
  return row && RUNS.read(row);
}

function runs(db: Knex): Knex.QueryBuilder {
  const now = nowMsSql(db);
  return db('job_runs as r')
    .join('leases as l', 'l.name', 'r.name')
    .select('r.*', db.raw(`l.expires_at_ms - ${now} as held_for_ms`), db.raw(`${now} as now_ms`));
}

/** Records that the lease holder starts a run, which also clears a pending request for one. */
export async function startJobRun(
  trx: Knex.Transaction,
  name: string,
  { holder, tries }: { readonly holder: string; readonly tries: number },
): Promise<void> {
  await trx('job_runs')
    .where({ name })
    .update({
      started_at_ms: trx.raw(nowMsSql(trx)),
      finished_at_ms: 0,
      outcome: 'running',
      error: '',
      progress_done: 0,
      progress_total: 0,
      tries,
      holder,
      requested_by: '',
    });
}

/** Records how far the run of a holder has come. */
export async function saveJobProgress(
  db: Knex,
  name: string,
  holder: string,
  { done, total }: JobProgress,
): Promise<void> {
  await db('job_runs')
    .where({ name, holder, outcome: 'running' })
    .update({ progress_done: done, progress_total: total });
}

/**
 * Records how the run ended and releases the lease, both or neither; false if another node has
 * taken over the lease meanwhile.
 */
export async function endJobRun(
  trx: Knex.Transaction,
  lease: Lease,
  name: string,
  { outcome, error }: { readonly outcome: JobRunOutcome; readonly error: string },
): Promise<boolean> {
  if (!(await releaseLease(trx, lease))) return false;
  const isOver = outcome !== 'interrupted';
  await trx('job_runs')
    .where({ name })
    .update({
      finished_at_ms: trx.raw(nowMsSql(trx)),
      outcome,
      error,
      ...(isOver ? { tries: 0 } : {}),
    });
  return true;
}

/** Requests a run as soon as a node checks. */
export async function requestJobRun(
  trx: Knex.Transaction,
  name: string,
  requestedBy: string,
): Promise<void> {
  await trx('job_runs').where({ name }).update({ requested_by: requestedBy });
}
