/** Error messages for the user. */
import type { TFunction } from 'i18next';
import { ApiError } from '../../lib/api/api.ts';

/** The gateway's own message if there is one, else ours for the kind and status. */
export function problemText(t: TFunction, problem: unknown): string {
  if (!(problem instanceof ApiError)) return t('problem.unknown');
  if (problem.kind === 'unreachable') return t('problem.unreachable');
  if (problem.kind === 'garbled') return t('problem.garbled', { status: problem.status });
  if (problem.status === 405) return t('problem.demo');
  if (problem.status === 429) return limitedText(t, problem.retryAfterSec);
  if (problem.status === 500) return t('problem.broken');
  if (problem.message === '') return t('problem.refused');
  return problem.status === 200
    ? problem.message
    : t('problem.message', { message: problem.message });
}

function limitedText(t: TFunction, seconds: number | undefined): string {
  return seconds === undefined ? t('problem.limited') : t('problem.limitedFor', { seconds });
}

/** Details for a bug report: method, path, status, time and request id. */
export function problemDetails(problem: ApiError): string {
  const { method, path, status, code, requestId, at, message } = problem;
  return [
    `${method} ${path}`,
    `HTTP ${status}${code === undefined ? '' : ` ${code}`}`,
    at.toISOString(),
    ...(requestId === undefined ? [] : [`request id ${requestId}`]),
    ...(message === '' ? [] : [message]),
  ].join('\n');
}
