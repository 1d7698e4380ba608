/** Formats a plan as lines for people and as a document for programs. */
import { type PlanLine, planText } from '../output/dry-run-plan.ts';
import { isChange, type Step } from './step.ts';

export function planTextOf(steps: readonly Step[]): string {
  return linesOf(steps).map(planText).join('');
}

export function planDocumentOf(steps: readonly Step[]) {
  return { changed: steps.some(isChange), items: linesOf(steps) };
}

function linesOf(steps: readonly Step[]): PlanLine[] {
  return steps.flatMap(({ lines }) => lines);
}
