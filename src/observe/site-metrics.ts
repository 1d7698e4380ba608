/** Counts everything but calls: ledger commits, jobs, management API requests, errors. */
import { BATCH_FAILURES } from '../store/ledger/settlement-batch.ts';
import type { MetricRegistry } from './metric-registry.ts';
import type { Observer } from './observer.ts';

type Work = Pick<
  Observer,
  | 'commitEnded'
  | 'batchFellBack'
  | 'failedCallDropped'
  | 'jobEnded'
  | 'managementRequestEnded'
  | 'errorReturned'
>;

export function siteMetrics(figures: MetricRegistry): Work {
  const done = figures.number('gateway_commits_total').labelled('done');
  const failed = figures.number('gateway_commits_total').labelled('failed');
  const commitSeconds = figures.recorder('gateway_commit_duration_seconds');
  const commitSize = figures.recorder('gateway_commit_operations');
  const fallbacks = figures.number('gateway_commit_fallbacks_total');
  for (const reason of BATCH_FAILURES) fallbacks.labelled(reason);
  const dropped = figures.number('gateway_failed_calls_dropped_total').labelled();
  const refusals = figures.number('gateway_refusals_total');
  const requests = figures.number('gateway_http_requests_total');
  const jobs = figures.number('gateway_job_runs_total');
  return {
    commitEnded(operations, tookMs, isDone) {
      // An empty commit only checks whether the database is healthy.
      if (operations > 0) commitSize(operations);
      commitSeconds(tookMs / 1000);
      (isDone ? done : failed).value += 1;
    },
    failedCallDropped() {
      dropped.value += 1;
    },
    batchFellBack(reason) {
      fallbacks.labelled(reason).value += 1;
    },
    errorReturned(api, code) {
      refusals.labelled(api, code).value += 1;
    },
    jobEnded(job, outcome, tookMs) {
      jobs.labelled(job, outcome).value += 1;
      figures.recorder('gateway_job_duration_seconds', job)(tookMs / 1000);
    },
    managementRequestEnded(method, route, status, tookMs) {
      requests.labelled(method, route, String(status)).value += 1;
      figures.recorder('gateway_http_request_duration_seconds', method)(tookMs / 1000);
    },
  };
}
