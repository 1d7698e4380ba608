/** Runs the steps of a plan in sequence; a failed step does not stop the others. */
import { asAppError } from '../../domain/errors/errors.ts';
import { errorText } from '../../locales/text.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import type { PlanLine } from '../output/dry-run-plan.ts';
import { progress } from '../output/progress.ts';
import { isChange, type Step } from './step.ts';

export interface StepResult extends PlanLine {
  /** `done`, `same`, `left` after an interruption, or the error. */
  readonly result: string;
}

export interface StepResults {
  readonly items: readonly StepResult[];
  /** Number of steps with changes. */
  readonly count: number;
  readonly failures: number;
  readonly isInterrupted: boolean;
}

/** @param signal leaves the steps that have not begun. */
export async function runSteps(
  cli: Cli,
  steps: readonly Step[],
  signal: AbortSignal,
): Promise<StepResults> {
  const api = await cli.api();
  const items: StepResult[] = [];
  let failures = 0;
  const count = steps.filter(isChange).length;
  const shown = progress(cli, count, 'apply');
  for (const step of steps) {
    const result = signal.aborted && isChange(step) ? 'left' : await resultOf(cli, step, api);
    if (isChange(step)) shown.tick();
    if (!FINE.has(result)) failures += 1;
    for (const line of step.lines)
      items.push({ ...line, result: line.action === 'same' && FINE.has(result) ? 'same' : result });
  }
  shown.end();
  return { items, failures, count, isInterrupted: signal.aborted };
}

const FINE = new Set(['done', 'same', 'left']);

async function resultOf(cli: Cli, step: Step, api: LocalApi): Promise<string> {
  if (!isChange(step)) return 'same';
  try {
    await step.run(api);
    return 'done';
  } catch (error) {
    return errorText(asAppError(error), cli.language);
  }
}
