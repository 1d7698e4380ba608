/** Several nodes on one database, and a job that records each of its runs there. */
import type { Context } from '../../src/context.ts';
import type { RunnableJob, SchedulerTiming } from '../../src/jobs/job.ts';
import { createScheduler, type Scheduler } from '../../src/jobs/scheduler.ts';
import { type Databases, openDatabases } from '../../src/store/connection/database.ts';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import { jobRuns } from '../../src/store/tables/job-runs-table.ts';
import type { LocalSite } from '../support/local-site.ts';

export interface Node {
  readonly ctx: Context;
  readonly scheduler: Scheduler;
  /** Behaves like a killed process: its connections close without notice to anyone. */
  kill(): Promise<void>;
}

const opened: Databases[] = [];

/** A node with its own connections. */
export async function aNode(
  site: LocalSite,
  name: string,
  jobs: readonly RunnableJob[],
  pace?: SchedulerTiming,
): Promise<Node> {
  const databases = await openDatabases(site.databases.dsn);
  opened.push(databases);
  const { db, reads } = databases;
  const ctx = { ...site.ctx, db, reads, node: name };
  return { ctx, scheduler: createScheduler(ctx, jobs, pace), kill: () => databases.close() };
}

export async function closeNodes(): Promise<void> {
  await Promise.all(opened.splice(0).map((one) => one.close()));
}

/** Writes a row like a job's work: in a transaction of the given context. */
export async function leaveTrace(ctx: Context, text: string): Promise<void> {
  await inTransaction(ctx, async ({ db }) => {
    const number = Number((await db('options').count({ n: '*' }).first())?.n);
    await db('options').insert({ key: `trace ${number}`, value: text });
  });
}

export async function traces({ ctx }: LocalSite): Promise<string[]> {
  const rows: unknown[] = await ctx.db('options').where('key', 'like', 'trace %').pluck('value');
  return rows.map(String).sort();
}

/** Moves the last run, or the job's creation, `ms` further into the past. */
export async function letPass({ ctx }: LocalSite, ms: number): Promise<void> {
  await ctx.db('job_runs').update({
    known_since_ms: ctx.db.raw('known_since_ms - ?', [ms]),
    started_at_ms: ctx.db.raw('case when started_at_ms = 0 then 0 else started_at_ms - ? end', [
      ms,
    ]),
  });
}

/** Expires the lease as if the holder had not renewed it. */
export async function letLeaseRunOut({ ctx }: LocalSite, name: string): Promise<void> {
  await ctx.db('leases').where({ name }).update({ expires_at_ms: 1 });
}

export async function runOf({ ctx }: LocalSite, name: string) {
  const run = (await jobRuns(ctx.db)).find((one) => one.name === name);
  if (run === undefined) throw new Error(`the job ${name} is not known`);
  return run;
}
