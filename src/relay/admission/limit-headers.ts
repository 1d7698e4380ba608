/**
 * What an answer tells of the limits and caps of its caller, in the words of the client's dialect. They
 * are the site's own: no header of an upstream reaches a client.
 */
import { clientDialect } from '../../dialects/all.ts';
import type { LimitState } from '../../dialects/hub/limit-headers.ts';
import type { Incoming } from '../call/incoming-call.ts';

type HeaderLines = Readonly<Record<string, string>>;

/** The one that is used up first. */
export function tighter(one: LimitState | undefined, other: LimitState): LimitState {
  return one === undefined || other.left < one.left ? other : one;
}

/** None for clients whose dialect has no such headers. */
export function limitHeaders(
  incoming: Pick<Incoming, 'dialect'>,
  state: LimitState,
  nowMs: number,
): HeaderLines {
  return clientDialect(incoming).limitHeaders?.(state, nowMs) ?? {};
}

/** Of all that apply. */
export function standingHeaders(
  incoming: Pick<Incoming, 'dialect'>,
  standings: readonly (LimitState | undefined)[],
  nowMs: number,
): HeaderLines {
  const lines = standings.map((one) => one && limitHeaders(incoming, one, nowMs));
  return Object.assign({}, ...lines);
}
