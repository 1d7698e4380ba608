/** What the latest outcomes of a channel say of it, oldest first. */
import type { Beat } from '../../../components/charts/HealthStrip.tsx';

/** So many failures in a row are no accident, even without a test. */
const FAILURES = 3;

/** The outcome that makes an enabled channel a failing one; undefined for one that works. */
export function failureOf(beats: readonly Beat[]): Beat | undefined {
  const since = beats.slice(beats.findLastIndex(({ isOk }) => isOk) + 1);
  const isFailing = since.length >= FAILURES || since.some(({ isTest }) => isTest);
  return isFailing ? since.at(-1) : undefined;
}

/** The latest test, where it failed. */
export function failedTestOf(beats: readonly Beat[]): Beat | undefined {
  const test = beats.findLast(({ isTest }) => isTest);
  return test?.isOk === false ? test : undefined;
}
