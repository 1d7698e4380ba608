/** Duration of a call and its parts. */
import type { Tone } from '../../components/display/tones.ts';
import type { LogEntry } from './calls.ts';
import { attemptsOf } from './facts.ts';

type Timed = Pick<
  LogEntry,
  'use_time' | 'use_time_ms' | 'first_token_ms' | 'is_stream' | 'completion_tokens' | 'facts'
>;

/** Entries of older systems have whole seconds only. */
export function tookMs({ use_time, use_time_ms }: Timed): number {
  return use_time_ms > 0 ? use_time_ms : use_time * 1000;
}

export function tookTone(ms: number): Tone {
  if (ms < 101_000) return 'green';
  return ms < 300_000 ? 'orange' : 'red';
}

export function firstTokenTone(ms: number): Tone {
  if (ms < 3_000) return 'green';
  return ms < 10_000 ? 'orange' : 'red';
}

/** Milliseconds to the first content; undefined if there was none or it was not measured. */
export function firstTokenMs(entry: Timed): number | undefined {
  if (entry.first_token_ms > 0) return entry.first_token_ms;
  const { frt = 0 } = entry.facts;
  return frt > 0 ? frt : undefined;
}

export interface Timing {
  readonly totalMs: number;
  /** Spent on failed attempts before the final one. */
  readonly retryMs: number;
  /**
   * From the start of the last attempt to its first content; all of it for a response that is not
   * streamed.
   */
  readonly waitMs: number;
  readonly generateMs: number;
  /** undefined without tokens or duration. */
  readonly tokensPerSec: number | undefined;
}

export function timingOf(entry: Timed): Timing {
  const totalMs = tookMs(entry);
  const failed = attemptsOf(entry.facts).slice(0, -1);
  const firstMs = entry.is_stream ? (firstTokenMs(entry) ?? totalMs) : totalMs;
  const retryMs = Math.min(
    failed.reduce((sum, { ms }) => sum + ms, 0),
    firstMs,
  );
  const generateMs = Math.max(0, totalMs - firstMs);
  return {
    totalMs,
    retryMs,
    waitMs: Math.max(0, Math.min(firstMs, totalMs) - retryMs),
    generateMs,
    tokensPerSec: rate(entry.completion_tokens, entry.is_stream ? generateMs : totalMs),
  };
}

function rate(tokens: number, ms: number): number | undefined {
  return tokens > 0 && ms > 0 ? tokens / (ms / 1000) : undefined;
}
