/**
 * Runs a property as a test. The test suite uses a fixed seed, so that results depend only on the
 * code. `npm run fuzz` runs each property for FUZZ_MS with a seed of its own, which a failure
 * prints; FUZZ_SEED repeats a run. The number of cases is appended to the file FUZZ_REPORT.
 */
import { appendFileSync } from 'node:fs';
import { env } from 'node:process';
import fc from 'fast-check';
import { test } from 'vitest';

const { FUZZ_MS, FUZZ_SEED, FUZZ_REPORT } = env;
const RUNS = 100;
const SEED = 20_261_121;
/** The maximum time to shrink a failing case. */
const SHRINKING_MS = 15_000;
/** Extra time for the case that is running when the share ends. */
const PATIENCE_MS = 60_000;

export interface Runs<Ts> {
  /** Number of cases in the test suite. */
  readonly runs?: number;
  /** Cases that failed in the past. */
  readonly examples?: Ts[];
}

export function holds<Ts>(
  title: string,
  property: fc.IRawProperty<Ts>,
  { runs = RUNS, examples = [] }: Runs<Ts> = {},
): void {
  const shareMs = Number(FUZZ_MS ?? 0);
  const timeout = shareMs === 0 ? undefined : shareMs + PATIENCE_MS;
  test(title, { ...(timeout !== undefined && { timeout }) }, async () => {
    const outcome = await fc.check(property, {
      examples,
      ...(shareMs === 0
        ? { seed: SEED, numRuns: runs, interruptAfterTimeLimit: SHRINKING_MS }
        : { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: shareMs }),
      ...(FUZZ_SEED !== undefined && { seed: Number(FUZZ_SEED) }),
    });
    if (FUZZ_REPORT !== undefined)
      appendFileSync(FUZZ_REPORT, `${JSON.stringify([title, outcome.numRuns, outcome.seed])}\n`);
    if (outcome.failed)
      throw new Error(fc.defaultReportMessage(outcome), { cause: outcome.errorInstance });
  });
}
