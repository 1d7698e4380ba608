/**
 * What an answer tells of the limits and caps of its caller, in the words of the client's dialect. They
 * are the site's own: no header of an upstream reaches a client.
 */
import type { Incoming } from '../call/incoming-call.ts';

export type HeaderLines = Readonly<Record<string, string>>;

/** The tightest of several limits of a kind. */
export interface Standing {
  readonly of: 'requests' | 'tokens';
  readonly limit: number;
  readonly left: number;
  /** Until all of it is free again; of a refusal, until there is room. */
  readonly resetMs: number;
}

/** The one that is used up first. */
export function tighter(one: Standing | undefined, other: Standing): Standing {
  return one === undefined || other.left < one.left ? other : one;
}

/** Gemini has no such headers, so its clients get none. */
export function limitHeaders(
  { dialect }: Pick<Incoming, 'dialect'>,
  standing: Standing,
  nowMs: number,
): HeaderLines {
  const { of, limit, left, resetMs } = standing;
  if (dialect === 'gemini') return {};
  if (dialect === 'anthropic')
    return {
      [`anthropic-ratelimit-${of}-limit`]: String(limit),
      [`anthropic-ratelimit-${of}-remaining`]: String(left),
      [`anthropic-ratelimit-${of}-reset`]: resetTime(nowMs + resetMs),
    };
  return {
    [`x-ratelimit-limit-${of}`]: String(limit),
    [`x-ratelimit-remaining-${of}`]: String(left),
    [`x-ratelimit-reset-${of}`]: duration(resetMs),
  };
}

/** Of all that apply. */
export function standingHeaders(
  incoming: Pick<Incoming, 'dialect'>,
  standings: readonly (Standing | undefined)[],
  nowMs: number,
): HeaderLines {
  const lines = standings.map((one) => one && limitHeaders(incoming, one, nowMs));
  return Object.assign({}, ...lines);
}

/** A whole second, never an earlier one: who comes back then is let in. */
function resetTime(atMs: number): string {
  return new Date(Math.ceil(atMs / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

/** `350ms`, `20s`, `6m0s`, `1h0m0s`. */
function duration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`;
  const sec = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(sec / 3600), Math.floor((sec % 3600) / 60)];
  if (hours > 0) return `${hours}h${minutes}m${sec % 60}s`;
  return minutes > 0 ? `${minutes}m${sec % 60}s` : `${sec}s`;
}
