/** Defines the work of each background job. Schedules are in `domain/jobs.ts`. */
import type { Actor } from '../api/call.ts';
import { updateAllBalances } from '../channel-ops/channel-balance.ts';
import { testAllChannels } from '../channel-ops/channel-test-run.ts';
import type { Context } from '../context.ts';
import type { JobName, ReportProgress } from '../domain/jobs.ts';
import { pollBackground } from '../relay/features/responses/poll-responses.ts';
import { pollTasks } from '../relay/tasks/poll-tasks.ts';
import { reportLedgerDifferences, reportUnusualSpend } from '../services/billing/money-alerts.ts';
import { syncPrices } from '../services/billing/price-sync.ts';
import { sendDigests } from '../services/billing/weekly-digest.ts';
import { warnOfBudgets } from '../services/budgets/budget-alerts.ts';
import { reportFailures } from '../services/channels/channel-alerts.ts';
import { aggregateLogs } from '../services/logs/hourly-aggregates.ts';
import { retainLogs } from '../services/logs/log-clear.ts';
import { summarizeDays } from '../services/logs/log-days.ts';
import { sumLedger } from '../store/ledger/ledger-sums.ts';
import { cleanUp } from './cleanup.ts';
import { markExpiredTokens } from './expire-tokens.ts';
import { fillNameKeys } from './fill-name-keys.ts';

export type JobFunction = (
  ctx: Context,
  signal: AbortSignal,
  report?: ReportProgress,
) => Promise<void>;

/** Scheduled runs are not started by a user, so they act as the operator. */
const OPERATOR: Actor = { kind: 'operator' };

/** A job that returns early after an abort has not finished all of its work. */
export const JOB_FUNCTIONS: Readonly<Record<JobName, JobFunction>> = {
  async channel_test(ctx, signal) {
    await testAllChannels(ctx, OPERATOR, signal);
    signal.throwIfAborted();
  },
  async channel_balance(ctx, signal) {
    await updateAllBalances(ctx, signal);
    signal.throwIfAborted();
  },
  price_sync: (ctx, signal) => syncPrices(ctx, OPERATOR, signal),
  async dashboard(ctx, signal, report) {
    await aggregateLogs(ctx, { signal, report });
    await summarizeDays(ctx, { signal });
    signal.throwIfAborted();
  },
  async log_retention(ctx, signal, report) {
    await retainLogs(ctx, { signal, report });
    signal.throwIfAborted();
  },
  task_poll: pollTasks,
  background_answers: pollBackground,
  ledger_sums: sumLedger,
  async alerts(ctx, signal) {
    await warnOfBudgets(ctx, signal);
    await reportFailures(ctx, signal);
  },
  async money_alerts(ctx, signal) {
    await reportLedgerDifferences(ctx, signal);
    await reportUnusualSpend(ctx, signal);
  },
  weekly_digest: sendDigests,
  token_expiry: markExpiredTokens,
  user_names: fillNameKeys,
  cleanup: cleanUp,
};
