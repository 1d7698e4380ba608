/**
 * A property of a parser as a test. As one of the tests it tries the same cases each time, so that the
 * gate judges the change and not the dice; `npm run fuzz` lets every property run for a while (FUZZ_MS
 * is its share) with a seed of its own, told when a property fails; FUZZ_SEED repeats one. What was
 * tried is added to the file FUZZ_REPORT.
 */
import { appendFileSync } from 'node:fs';
import { env } from 'node:process';
import fc from 'fast-check';
import { test } from 'vitest';

const { FUZZ_MS, FUZZ_SEED, FUZZ_REPORT } = env;
const RUNS = 100;
const SEED = 20_261_121;
/** A case that fails is made smaller for so long at most. */
const SHRINKING_MS = 15_000;
/** A share ends with the case that is under way. */
const PATIENCE_MS = 60_000;

export interface Runs<Ts> {
  /** How many cases in the gate. */
  readonly runs?: number;
  /** Cases that failed once. */
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
