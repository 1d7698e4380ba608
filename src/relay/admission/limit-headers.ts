/**
 * Response headers with the state of the caller's limits and caps, in the client's dialect. They
 * describe this site's limits; upstream headers are never forwarded.
 */
import { clientDialect } from '../../dialects/all.ts';
import type { LimitState } from '../../dialects/hub/limit-headers.ts';
import type { Incoming } from '../call/incoming-call.ts';

type HeaderLines = Readonly<Record<string, string>>;

/** The limit with less left. */
export function tighter(one: LimitState | undefined, other: LimitState): LimitState {
  return one === undefined || other.left < one.left ? other : one;
}

/** Empty for clients whose dialect has no such headers. */
export function limitHeaders(
  incoming: Pick<Incoming, 'dialect'>,
  state: LimitState,
  nowMs: number,
): HeaderLines {
  return clientDialect(incoming).limitHeaders?.(state, nowMs) ?? {};
}

/** Headers for all limits that apply. */
export function standingHeaders(
  incoming: Pick<Incoming, 'dialect'>,
  standings: readonly (LimitState | undefined)[],
  nowMs: number,
): HeaderLines {
  const lines = standings.map((one) => one && limitHeaders(incoming, one, nowMs));
  return Object.assign({}, ...lines);
}
