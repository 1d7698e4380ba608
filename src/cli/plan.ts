/** What `--dry-run` shows: which object would change, and how. */
import { oneLine } from '../session/text.ts';

export interface Change {
  readonly action: 'create' | 'update' | 'delete';
  readonly noun: string;
  readonly name: string;
  /** How it is now; with the reply of the rehearsal it gives the differences. */
  readonly before?: object;
  /** What is lost for good, as a sentence; such a change asks first. */
  readonly loses?: string;
}

export interface Difference {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What would become of one thing. */
export interface PlanLine {
  readonly action: Change['action'] | 'same';
  readonly noun: string;
  readonly name: string;
  readonly changes: readonly Difference[];
}

export interface Plan extends PlanLine {
  readonly dry_run: true;
}

const SIGNS = { create: '+', update: '~', delete: '-', same: '=' } as const;

/** A rehearsed key is worth nothing, and a clock moves by itself. */
const HIDDEN = new Set(['key', 'keys', 'tokens', 'id', 'created_time', 'accessed_time']);

export function planDocument({ action, noun, name, before }: Change, after: unknown): Plan {
  const changes = action === 'delete' ? [] : differences(before ?? {}, after);
  return { dry_run: true, action, noun, name, changes };
}

export function planText({ action, noun, name, changes }: PlanLine): string {
  const lines = changes.map(({ field, from, to }) =>
    from === undefined
      ? `    ${field}: ${shown(to)}`
      : `    ${field}: ${shown(from)} -> ${shown(to)}`,
  );
  return `${[`${SIGNS[action]} ${action} ${noun} ${name}`, ...lines].join('\n')}\n`;
}

function differences(before: object, after: unknown): Difference[] {
  if (typeof after !== 'object' || after === null) return [];
  const old: Readonly<Record<string, unknown>> = { ...before };
  return Object.entries(after)
    .filter(([field]) => !HIDDEN.has(field))
    .filter(([field, to]) => JSON.stringify(old[field]) !== JSON.stringify(to))
    .filter(([field, to]) => field in old || !isBlank(to))
    .map(([field, to]) => ({ field, from: old[field], to }));
}

function isBlank(value: unknown): boolean {
  return value === '' || value === null || value === undefined || value === 0 || value === false;
}

function shown(value: unknown): string {
  return oneLine(typeof value === 'string' ? value || '""' : JSON.stringify(value));
}
