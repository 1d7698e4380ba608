/**
 * Decides what a failed attempt affects. Errors of the account (a refused key, a used-up quota, a
 * rate limit) put that key in cooldown; only errors of the server behind it count against the
 * channel, and only for the requested model.
 */
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';

export type Affected =
  /** Cooldown of the key for all models. */
  | 'key'
  /** Cooldown of the key for the requested model. */
  | 'key for the model'
  /** A failure in the circuit breaker of the channel and model. */
  | 'model of the channel'
  /** An error of the request itself, or one that says nothing about other calls. */
  | 'nothing';

type ErrorFacts = Pick<UpstreamError, 'status' | 'disablesKey' | 'concernsCall'>;

interface OutcomeRule {
  readonly fits: (error: ErrorFacts) => boolean;
  readonly affects: Affected;
}

/**
 * The first matching rule applies. A silent, unreachable or garbled upstream counts as 502 or 504.
 */
const OUTCOME_RULES: readonly OutcomeRule[] = [
  { fits: ({ concernsCall }) => concernsCall === true, affects: 'nothing' },
  // Upstreams report an exhausted or closed account with any status, 429 and 500 included.
  {
    fits: ({ status, disablesKey }) => disablesKey || status === 401 || status === 402,
    affects: 'key',
  },
  // Limits and permissions apply to a single model at most vendors.
  { fits: ({ status }) => status === 429 || status === 403, affects: 'key for the model' },
  { fits: ({ status }) => status >= 500, affects: 'model of the channel' },
];

export function affectedBy(error: ErrorFacts): Affected {
  return OUTCOME_RULES.find(({ fits }) => fits(error))?.affects ?? 'nothing';
}
