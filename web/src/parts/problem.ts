/** An API error in the reader's words. */
import type { TFunction } from 'i18next';
import type { ApiError } from '../lib/api.ts';

/** The gateway's own sentence where it has one, else ours for the kind and status. */
export function problemText(t: TFunction, problem: ApiError): string {
  if (problem.kind === 'unreachable') return t('problem.unreachable');
  if (problem.kind === 'garbled') return t('problem.garbled', { status: problem.status });
  if (problem.message !== '') return problem.message;
  if (problem.status === 429) return t('problem.limited');
  if (problem.status >= 500) return t('problem.broken');
  return t('problem.refused', { status: problem.status });
}
