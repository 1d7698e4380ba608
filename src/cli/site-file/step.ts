/** Steps that turn a site into its document; each step is atomic. */

import type { LocalApi } from '../../session/session.ts';
import type { Difference, PlanLine } from '../output/dry-run-plan.ts';

export interface Step {
  /** The lines to display; several if one write changes several objects. */
  readonly lines: readonly PlanLine[];
  /** What the step accepts but probably was not meant. */
  readonly warnings?: readonly string[];
  readonly run: (api: LocalApi) => Promise<unknown>;
}

/** Shown instead of the value when a step writes a secret. */
export const HIDDEN_VALUE = '***';

/** The document's fields that differ from the current state. */
export function differences(
  before: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): Difference[] {
  return Object.entries(wanted)
    .filter(([, to]) => to !== undefined)
    .filter(([field, to]) => canonicalJson(before[field]) !== canonicalJson(to))
    .map(([field, to]) => ({ field, from: before[field], to }));
}

/** A step for one object: creates it if missing, otherwise updates it to match the document. */
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

/** JSON with sorted object members, so that their order does not count as a change. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

export function isChange({ lines }: Step): boolean {
  return lines.some(({ action }) => action !== 'same');
}
