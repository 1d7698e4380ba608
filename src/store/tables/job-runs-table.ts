/**
 * The last run of each background job, next to the lease of the same name that guards it. All times
 * are the database's.
 */
import type { Knex } from 'knex';
import { nowMsSql } from '../connection/clock.ts';
import { insertOnce } from '../sql/inserts.ts';
import { numberValue, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { ensureLease, type Lease, releaseLease } from './leases-table.ts';

/** '' is never; `interrupted` was started and released unfinished. */
export type JobRunOutcome = '' | 'running' | 'done' | 'failed' | 'timed_out' | 'interrupted';

/** The last run's steps, such as log entries; both 0 if it does not count them. */
export interface JobProgress {
  readonly done: number;
  readonly total: number;
}

export interface JobRun extends JobProgress {
  readonly name: string;
  readonly knownSinceMs: number;
  readonly startedAtMs: number;
  /** 0 while it runs. */
  readonly finishedAtMs: number;
  readonly outcome: JobRunOutcome;
  readonly error: string;
  /** How often in a row it was started without finishing. */
  readonly tries: number;
  /** The node that last ran it. */
  readonly holder: string;
  /** Who requested a run; '' if none is requested. */
  readonly requestedBy: string;
  /** Whether the job's lease is held at `nowMs`. */
  readonly isHeld: boolean;
  readonly nowMs: number;
}

/** Creates the row of a job that this database does not have yet. */
export async function ensureJob(db: Knex, name: string): Promise<void> {
  await ensureLease(db, name);
  const [clock]: Row[] = await db.select(db.raw(`${nowMsSql(db)} as now_ms`));
  await insertOnce(db, 'job_runs', { name, known_since_ms: numberValue(clock?.now_ms) }, 'name');
}

export async function jobRuns(db: Knex): Promise<JobRun[]> {
  const rows: Row[] = await runs(db).orderBy('r.name');
  return rows.map(readRun);
}

/** The job's row, locked until the transaction ends. */
export async function lockJobRun(trx: Knex.Transaction, name: string): Promise<JobRun | undefined> {
  await trx('job_runs').where({ name }).forUpdate().first('name');
  const row: Row | undefined = await runs(trx).where('r.name', name).first();
  return row === undefined ? undefined : readRun(row);
}

function runs(db: Knex): Knex.QueryBuilder {
  return db('job_runs as r')
    .join('leases as l', 'l.name', 'r.name')
    .select('r.*', 'l.expires_at_ms', db.raw(`${nowMsSql(db)} as now_ms`));
}

function readRun(row: Row): JobRun {
  const nowMs = numberValue(row.now_ms);
  return {
    name: textValue(row.name),
    knownSinceMs: numberValue(row.known_since_ms),
    startedAtMs: numberValue(row.started_at_ms),
    finishedAtMs: numberValue(row.finished_at_ms),
    outcome: textValue(row.outcome) as JobRunOutcome, // only this file writes the column
    error: textValue(row.error),
    done: numberValue(row.progress_done),
    total: numberValue(row.progress_total),
    tries: numberValue(row.tries),
    holder: textValue(row.holder),
    requestedBy: textValue(row.requested_by),
    isHeld: numberValue(row.expires_at_ms) > nowMs,
    nowMs,
  };
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
