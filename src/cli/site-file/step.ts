/** What stands between a site and its document: steps, each of which is written whole or not at all. */

import type { Api } from '../../session/session.ts';
import type { Difference, PlanLine } from '../plan.ts';

export interface Step {
  /** What is shown of it; several where one write does them together. */
  readonly lines: readonly PlanLine[];
  readonly run: (api: Api) => Promise<unknown>;
}

/** Where a step writes a secret, its worth is not shown. */
export const HIDDEN_VALUE = '***';

/** The fields the document speaks of that are not so yet. */
export function differences(
  before: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): Difference[] {
  return Object.entries(wanted)
    .filter(([, to]) => to !== undefined)
    .filter(([field, to]) => canonical(before[field]) !== canonical(to))
    .map(([field, to]) => ({ field, from: before[field], to }));
}

/** One thing of its own: made when it is not there, else brought to what the document says. */
export function stepOf(
  { noun, name }: Pick<PlanLine, 'noun' | 'name'>,
  before: Readonly<Record<string, unknown>> | undefined,
  wanted: Readonly<Record<string, unknown>>,
  run: Step['run'],
): Step {
  const changes = differences(before ?? {}, wanted);
  const action = before === undefined ? 'create' : changes.length > 0 ? 'update' : 'same';
  return { lines: [{ action, noun, name, changes }], run };
}

/** JSON whose object members are in one order, so that order is no change. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

export function isChange({ lines }: Step): boolean {
  return lines.some(({ action }) => action !== 'same');
}
