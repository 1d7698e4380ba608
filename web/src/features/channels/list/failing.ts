/** Derives a channel's health from its recent outcomes, oldest first. */
import type { HealthCheck } from '../../../components/charts/HealthStrip.tsx';

/** This many consecutive failures mark a channel as failing, even without a test. */
const FAILURES = 3;

/** The outcome that marks an enabled channel as failing; undefined for a working one. */
export function failureOf(checks: readonly HealthCheck[]): HealthCheck | undefined {
  const since = checks.slice(checks.findLastIndex(({ isOk }) => isOk) + 1);
  const isFailing = since.length >= FAILURES || since.some(({ isTest }) => isTest);
  return isFailing ? since.at(-1) : undefined;
}

/** The latest test, if it failed. */
export function failedTestOf(checks: readonly HealthCheck[]): HealthCheck | undefined {
  const test = checks.findLast(({ isTest }) => isTest);
  return test?.isOk === false ? test : undefined;
}
