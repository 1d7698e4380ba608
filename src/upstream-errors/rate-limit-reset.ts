/**
 * Computes when an upstream that returned 429 accepts calls again, from its rate-limit headers, for
 * upstreams that send no `Retry-After`: OpenAI's durations, Anthropic's times, and plain numbers
 * that are seconds or a time.
 */
import { numberIn, textIn } from '../json/read-json.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Pairs of headers: remaining amount and reset time. Only exhausted limits matter. */
const LIMITS = [
  ['x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ['x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  ['anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-requests-reset'],
  ['anthropic-ratelimit-tokens-remaining', 'anthropic-ratelimit-tokens-reset'],
  ['anthropic-ratelimit-input-tokens-remaining', 'anthropic-ratelimit-input-tokens-reset'],
  ['anthropic-ratelimit-output-tokens-remaining', 'anthropic-ratelimit-output-tokens-reset'],
  ['x-ratelimit-remaining', 'x-ratelimit-reset'],
  ['ratelimit-remaining', 'ratelimit-reset'],
] as const;

/** Milliseconds until all exhausted limits reset; undefined if no header states it. */
export function limitResetMs(headers: Headers, nowMs: number): number | undefined {
  const waits = LIMITS.flatMap(([remaining, reset]) => {
    if ((numberIn(headers, remaining) ?? 1) > 0) return [];
    const waitMs = readReset(textIn(headers, reset) ?? '', nowMs);
    return waitMs === undefined ? [] : [waitMs];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

const UNIT_MS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
};
/** Larger numbers are points in time from 2001 on, in seconds or milliseconds. */
const EPOCH_SEC = 1e9;
const EPOCH_MS = 1e12;

function readReset(text: string, nowMs: number): number | undefined {
  const value = text.trim();
  if (value === '') return undefined;
  const number = Number(value);
  if (Number.isFinite(number)) return Math.max(0, fromNumber(number, nowMs));
  if (/^(\d+(\.\d+)?(ms|[dhms]))+$/.test(value)) {
    const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)];
    return parts.reduce(
      (sum, [, amount, unit = '']) => sum + Number(amount) * (UNIT_MS[unit] ?? 0),
      0,
    );
  }
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

function fromNumber(number: number, nowMs: number): number {
  if (number >= EPOCH_MS) return number - nowMs;
  return number >= EPOCH_SEC ? number * 1000 - nowMs : number * 1000;
}
