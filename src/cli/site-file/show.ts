/** Formats a plan as lines for people and as a document for programs. */
import { createHash } from 'node:crypto';
import { type PlanLine, planText } from '../output/dry-run-plan.ts';
import { canonicalJson, isChange, type Step } from './step.ts';

export function planTextOf(steps: readonly Step[]): string {
  const text = linesOf(steps).map(planText).join('');
  return steps.some(isChange) ? `${text}revision ${revisionOf(steps)}\n` : text;
}

export function planDocumentOf(steps: readonly Step[]) {
  const items = linesOf(steps);
  return { revision: revisionOf(steps), changed: steps.some(isChange), items, total: items.length };
}

/** Equal for equal plans; `apply --revision` accepts only the plan that was shown. */
export function revisionOf(steps: readonly Step[]): string {
  const text = canonicalJson(linesOf(steps));
  return createHash('sha256').update(text).digest('hex').slice(0, REVISION_LENGTH);
}

const REVISION_LENGTH = 12;

function linesOf(steps: readonly Step[]): PlanLine[] {
  return steps.flatMap(({ lines }) => lines);
}
