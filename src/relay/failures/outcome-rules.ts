/**
 * Whom a failed attempt speaks of. What an account causes (a refused key, a used-up quota, a limit) rests
 * that key; only what the server behind it does counts against the channel, and against one model of it.
 */
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';

export type Affected =
  /** The key rests for all models. */
  | 'key'
  /** The key rests for the model that was asked. */
  | 'key for the model'
  /** A failure in the breaker of this model of the channel. */
  | 'model of the channel'
  /** The request's own fault, or one that says nothing of others. */
  | 'nothing';

type Said = Pick<UpstreamError, 'status' | 'disablesKey'>;

interface OutcomeRule {
  readonly fits: (said: Said) => boolean;
  readonly affects: Affected;
}

/** The first that fits holds. An upstream that is silent, unreachable or garbled counts as 502 or 504. */
const OUTCOME_RULES: readonly OutcomeRule[] = [
  // A used-up or closed account is told with any status, 429 and 500 among them.
  {
    fits: ({ status, disablesKey }) => disablesKey || status === 401 || status === 402,
    affects: 'key',
  },
  // Limits and permissions are those of one model at most vendors.
  { fits: ({ status }) => status === 429 || status === 403, affects: 'key for the model' },
  { fits: ({ status }) => status >= 500, affects: 'model of the channel' },
];

export function affectedBy(said: Said): Affected {
  return OUTCOME_RULES.find(({ fits }) => fits(said))?.affects ?? 'nothing';
}
