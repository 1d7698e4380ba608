/** Background jobs as administrators see them. The jobs run in `src/jobs`. */
import type * as z from 'zod/mini';
import type { Service } from '../../api/call.ts';
import type { Job, jobCalls } from '../../api/site/job.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { JOB_NAMES, JOBS, type JobName, type JobRow, nextRunAtMs } from '../../domain/jobs.ts';
import type { Language } from '../../domain/languages.ts';
import { storedText } from '../../locales/event-text.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import {
  ensureJob,
  type JobRun,
  jobRuns,
  lockJobRun,
  requestJobRun,
} from '../../store/tables/job-runs-table.ts';
import { writing } from '../cluster/announced-write.ts';
import { actorName, eventAudience, recordAction } from '../logs/audit.ts';

type Calls = Service<typeof jobCalls, Context>;
type Shown = z.input<typeof Job>;

const MINUTE_MS = 60_000;

/** Milliseconds between two runs by the current options and configuration; undefined while off. */
export function intervalOf(
  ctx: Pick<Context, 'options' | 'config'>,
  name: JobName,
): number | undefined {
  const every = rowOf(name).every;
  if ('seconds' in every) {
    const isOn = every.needs === undefined || ctx.config[every.needs];
    return isOn ? every.seconds * 1000 : undefined;
  }
  const options = ctx.options();
  if ('hours' in every) {
    const hours = options.get(every.hours);
    return hours > 0 ? hours * 60 * MINUTE_MS : undefined;
  }
  const configured = every.config === undefined ? 0 : ctx.config[every.config];
  const minutes = options.get(every.option) ?? configured;
  return minutes > 0 ? minutes * MINUTE_MS : undefined;
}

function rowOf(name: JobName): JobRow {
  return JOBS[name];
}

export const list: Calls['list'] = async (ctx, _actor, _input, visit) => {
  const runs = new Map((await jobRuns(ctx.reads)).map((run) => [run.name, run]));
  return JOB_NAMES.map((name) => shown(ctx, visit.language, name, runs.get(name)));
};

/**
 * Records the request in the database; the next node that checks starts the job, within a second
 * while a server runs.
 * @throws AppError job_missing, job_running.
 */
export const run: Calls['run'] = async (ctx, actor, { name }, visit) => {
  if (!isJobName(name)) throw new AppError('job_missing', { job: name });
  // In the transaction, MariaDB would lock the existing row for reading, and two requests that then
  // lock it for writing would wait for each other.
  await ensureJob(ctx.db, name);
  return writing(ctx, async (ctx) => {
    const run = await lockJobRun(ctx.db, name);
    if (run?.outcome === 'running' && run.isHeld) throw new AppError('job_running', { job: name });
    await requestJobRun(ctx.db, name, actorName(actor));
    await recordAction(ctx, actor, {
      action: 'job_run',
      event: { event: 'job_requested', params: { job: name } },
      facts: { job: name },
    });
    await announceChange(ctx.db, 'jobs', 0);
    return shown(ctx, visit.language, name, await lockJobRun(ctx.db, name));
  });
};

function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOBS, name);
}

function shown(
  ctx: Pick<Context, 'options' | 'config'>,
  language: Language,
  name: JobName,
  run: JobRun | undefined,
): Shown {
  const everyMs = intervalOf(ctx, name);
  const common = {
    name,
    summary: rowOf(name).summary,
    interval: everyMs === undefined ? null : Math.round(everyMs / 1000),
  };
  if (run === undefined)
    return { ...common, ...NEVER_RUN, state: everyMs === undefined ? 'off' : 'waiting' };
  const isRunning = run.outcome === 'running' && run.isHeld;
  // A run without a lease or a recorded end was interrupted, even if its row still says running.
  const outcome = run.outcome === 'running' && !isRunning ? 'interrupted' : run.outcome;
  const nextMs = isRunning ? laterRun(run, everyMs) : nextRunAtMs(run, everyMs);
  return {
    ...common,
    state: stateOf(run, isRunning, everyMs),
    last_run: Math.floor(run.startedAtMs / 1000),
    outcome,
    error: storedText(run.error, eventAudience(ctx, language)),
    done: run.done,
    total: run.total,
    duration_ms: durationOf(run, isRunning),
    next_run: nextMs === undefined ? null : Math.floor(nextMs / 1000),
    owner: run.holder,
  };
}

const NEVER_RUN = {
  last_run: 0,
  outcome: '',
  error: '',
  done: 0,
  total: 0,
  duration_ms: 0,
  next_run: null,
  owner: '',
} as const;

function stateOf(run: JobRun, isRunning: boolean, everyMs: number | undefined): Shown['state'] {
  if (isRunning) return 'running';
  if (run.requestedBy !== '') return 'requested';
  return everyMs === undefined ? 'off' : 'waiting';
}

/** The run after the current one. */
function laterRun(run: JobRun, everyMs: number | undefined): number | undefined {
  return everyMs === undefined ? undefined : run.startedAtMs + everyMs;
}

function durationOf(run: JobRun, isRunning: boolean): number {
  if (isRunning) return Math.max(0, run.nowMs - run.startedAtMs);
  return Math.max(0, run.finishedAtMs - run.startedAtMs);
}
