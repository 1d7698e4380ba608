/** Error messages for the user. */
import type { TFunction } from 'i18next';
import { ApiError } from '../../lib/api/api.ts';

/** Ours for the status or kind, else the gateway's own message. */
export function problemText(t: TFunction, problem: unknown): string {
  if (!(problem instanceof ApiError)) return t('problem.unknown');
  if (problem.kind === 'unreachable') return t('problem.unreachable');
  const known = statusText(t, problem);
  if (problem.kind === 'garbled') {
    const detail = t('problem.garbled', { status: problem.status });
    return known === undefined ? detail : t('problem.withDetail', { text: known, detail });
  }
  if (known !== undefined) return known;
  if (problem.message === '') return t('problem.refused');
  return problem.status === 200
    ? problem.message
    : t('problem.message', { message: problem.message });
}

function statusText(t: TFunction, { status, retryAfterSec }: ApiError): string | undefined {
  if (status === 405) return t('problem.demo');
  if (status === 429) return limitedText(t, retryAfterSec);
  return status === 500 ? t('problem.broken') : undefined;
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
