/** What a log row is about. 0 stands for "any" in filters and is never stored. */
import { numberOf, wordOf } from './statuses.ts';

export const LOG_TYPE = {
  top_up: 1,
  consume: 2,
  admin: 3,
  system: 4,
  check_in: 5,
  error: 6,
} as const;

export type LogTypeWord = keyof typeof LOG_TYPE;
export type LogType = (typeof LOG_TYPE)[LogTypeWord];

const ANY_LOG_TYPE = 0;

export function logTypeWord(type: number): LogTypeWord | 'unknown' {
  return wordOf(LOG_TYPE, type);
}

/** `top-up`, `top_up` or `1`; `all` and `0` give 0. `undefined` when nothing is called that. */
export function logTypeOf(text: string): number | undefined {
  const asked = text.trim().toLowerCase();
  return asked === 'all' || asked === '0' ? ANY_LOG_TYPE : numberOf(LOG_TYPE, asked);
}
