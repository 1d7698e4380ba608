/** The background jobs: purpose, interval and maximum duration of each. */
export interface JobRow {
  readonly summary: string;
  readonly every: Interval;
  readonly timeoutSec: number;
}

export type Interval =
  | {
      readonly seconds: number;
      /** Configuration switch that a process needs in order to run the job. */
      readonly needs?: 'taskPolling';
    }
  /** Minutes from the option, otherwise from the configuration; 0 disables the job. */
  | {
      readonly option: MinutesOption;
      readonly config?: 'channelTestMinutes' | 'channelBalanceMinutes';
    }
  /** Hours from the option; 0 disables the job. */
  | { readonly hours: 'PriceSyncHours' };

type MinutesOption = 'ChannelTestFrequency' | 'ChannelUpdateFrequency' | 'DataExportInterval';

export const JOBS = {
  channel_test: {
    summary: 'Tests every channel and disables or enables it according to the result',
    every: { option: 'ChannelTestFrequency', config: 'channelTestMinutes' },
    timeoutSec: 3600,
  },
  channel_balance: {
    summary: 'Reads the balance of every enabled channel from its upstream',
    every: { option: 'ChannelUpdateFrequency', config: 'channelBalanceMinutes' },
    timeoutSec: 3600,
  },
  price_sync: {
    summary: 'Compares prices with the price source, reports changes and adopts those allowed',
    every: { hours: 'PriceSyncHours' },
    timeoutSec: 300,
  },
  dashboard: {
    summary: 'Adds new log entries to the figures of the dashboard',
    every: { option: 'DataExportInterval' },
    timeoutSec: 600,
  },
  task_poll: {
    summary: 'Polls the upstreams for unfinished tasks',
    every: { seconds: 15, needs: 'taskPolling' },
    timeoutSec: 300,
  },
  background_answers: {
    summary: 'Polls the upstreams for background responses and settles them',
    every: { seconds: 15, needs: 'taskPolling' },
    timeoutSec: 300,
  },
  log_retention: {
    summary:
      'Creates the partitions of the usage log; deletes log entries older than the retention time and merges their hours to days',
    every: { seconds: 3600 },
    timeoutSec: 1800,
  },
  ledger_sums: {
    summary: 'Adds new ledger entries to the sums of their accounts',
    every: { seconds: 15 },
    timeoutSec: 600,
  },
  alerts: {
    summary:
      'Reports channels that fail, models that lose their last working channel or have one again, and budgets that are nearly or fully spent',
    every: { seconds: 60 },
    timeoutSec: 300,
  },
  money_alerts: {
    summary:
      'Compares balances with the ledger, and reports differences and spending that is several times the usual',
    every: { seconds: 3600 },
    timeoutSec: 600,
  },
  weekly_digest: {
    summary: 'Sends digests of the last week on Monday morning',
    every: { seconds: 900 },
    timeoutSec: 1800,
  },
  token_expiry: {
    summary: 'Marks API tokens as expired after their expiry',
    every: { seconds: 60 },
    timeoutSec: 300,
  },
  user_names: {
    summary: 'Fills the compared form of user names that a previous version stored without it',
    every: { seconds: 3600 },
    timeoutSec: 600,
  },
  cleanup: {
    summary:
      'Deletes expired sessions, codes, sign-ins, stored responses and records of failed calls, old windows of budgets, and old rows of the change feed',
    every: { seconds: 3600 },
    timeoutSec: 600,
  },
} as const satisfies Readonly<Record<string, JobRow>>;

/** Tells how far a run has come, in steps of the job's own, such as log entries. */
export type ReportProgress = (done: number, total: number) => void;

export type JobName = keyof typeof JOBS;

export const JOB_NAMES = Object.keys(JOBS) as JobName[]; // keys of the literal

/** After this many crashes of the process in a row, the job waits for its next scheduled run. */
const MAX_TRIES = 3;

/** The inputs that determine when a job runs; all times in epoch milliseconds of one clock. */
export interface RunState {
  readonly knownSinceMs: number;
  readonly startedAtMs: number;
  readonly outcome: string;
  readonly tries: number;
  readonly requestedBy: string;
}

/**
 * When the next run is due: in the past if immediately, undefined if never. `everyMs` is undefined
 * while the job is off. A run that has not ended and whose lease has lapsed is due again.
 */
export function nextRunAtMs(run: RunState, everyMs: number | undefined): number | undefined {
  const sinceMs = Math.max(run.startedAtMs, run.knownSinceMs);
  if (run.requestedBy !== '' || mayRetry(run)) return sinceMs;
  return everyMs === undefined ? undefined : sinceMs + everyMs;
}

/** The number of the attempt that starts now. */
export function attemptNumber(run: RunState): number {
  return mayRetry(run) ? run.tries + 1 : 1;
}

function mayRetry({ outcome, tries }: RunState): boolean {
  return (outcome === 'running' || outcome === 'interrupted') && tries < MAX_TRIES;
}
