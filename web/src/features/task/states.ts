/** The task states of upstreams, with their tone and shape. */
import type { Tone } from '../../components/display/tones.ts';

/** A tone and the shape of its mark. */
export type Look = readonly [Tone, 'dot' | 'slash' | 'warning'];

const COMMON_STATES = {
  SUCCESS: ['green', 'dot'],
  NOT_START: ['grey', 'dot'],
  SUBMITTED: ['lime', 'dot'],
  IN_PROGRESS: ['blue', 'dot'],
  FAILURE: ['red', 'slash'],
} as const satisfies Record<string, Look>;

export const IMAGE_TASK_STATES = {
  ...COMMON_STATES,
  MODAL: ['yellow', 'warning'],
} as const satisfies Record<string, Look>;

export const TASK_STATES = {
  ...COMMON_STATES,
  QUEUED: ['orange', 'dot'],
  UNKNOWN: ['grey', 'warning'],
} as const satisfies Record<string, Look>;

/** Result codes of the image proxy for a submission. */
export const SUBMISSIONS = {
  1: ['green', 'dot'],
  21: ['lime', 'dot'],
  22: ['orange', 'warning'],
  0: ['yellow', 'warning'],
} as const satisfies Record<number, Look>;

/** The word if it is known, or undefined for one of another release. */
export function knownState<W extends string>(words: readonly W[], word: string): W | undefined {
  return words.find((one) => one === word);
}

export function keysOf<T extends object>(table: T): readonly (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[]; // a literal table has no other keys
}

/** Whether the status may still change. */
export function isRunning(status: string): boolean {
  return status !== 'SUCCESS' && status !== 'FAILURE' && status !== 'UNKNOWN' && status !== 'MODAL';
}

const LONG_SEC = 60;

export function durationTone(ms: number): Tone {
  return ms > LONG_SEC * 1000 ? 'red' : 'green';
}

/** 0 to 100 from a text like `43%`; undefined for anything else. */
export function percentOf(progress: string): number | undefined {
  const number = Number(/^(\d{1,3})(?:\.\d+)?%$/.exec(progress.trim())?.[1] ?? Number.NaN);
  return number <= 100 ? number : undefined;
}
