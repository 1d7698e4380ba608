/** Counts everything but calls: ledger commits, jobs, management API requests, errors. */
import { BATCH_FAILURES } from '../store/ledger/settlement-batch.ts';
import type { Figures } from './figures.ts';
import type { Observer } from './observer.ts';

type Work = Pick<
  Observer,
  'committed' | 'scriptFailed' | 'failedCallDropped' | 'jobEnded' | 'answered' | 'refused'
>;

export function workFigures(figures: Figures): Work {
  const done = figures.number('gateway_commits_total').with('done');
  const failed = figures.number('gateway_commits_total').with('failed');
  const commitSeconds = figures.meter('gateway_commit_duration_seconds');
  const commitSize = figures.meter('gateway_commit_operations');
  const fallbacks = figures.number('gateway_commit_fallbacks_total');
  for (const reason of BATCH_FAILURES) fallbacks.with(reason);
  const dropped = figures.number('gateway_failed_calls_dropped_total').with();
  const refusals = figures.number('gateway_refusals_total');
  const requests = figures.number('gateway_http_requests_total');
  const jobs = figures.number('gateway_job_runs_total');
  return {
    committed(operations, tookMs, isDone) {
      // An empty commit only checks whether the database is healthy.
      if (operations > 0) commitSize(operations);
      commitSeconds(tookMs / 1000);
      (isDone ? done : failed).value += 1;
    },
    failedCallDropped() {
      dropped.value += 1;
    },
    scriptFailed(reason) {
      fallbacks.with(reason).value += 1;
    },
    refused(api, code) {
      refusals.with(api, code).value += 1;
    },
    jobEnded(job, outcome, tookMs) {
      jobs.with(job, outcome).value += 1;
      figures.meter('gateway_job_duration_seconds', job)(tookMs / 1000);
    },
    answered(method, route, status, tookMs) {
      requests.with(method, route, String(status)).value += 1;
      figures.meter('gateway_http_request_duration_seconds', method)(tookMs / 1000);
    },
  };
}
