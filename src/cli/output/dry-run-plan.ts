/** The plan that `--dry-run` prints: which object would change, and how. */
import { oneLine } from '../../session/text.ts';

export interface Change {
  readonly action: 'create' | 'update' | 'delete';
  readonly noun: string;
  readonly name: string;
  /** The current state; compared with the simulated reply to show the differences. */
  readonly before?: object | undefined;
  /** A sentence about what is lost permanently; such changes require confirmation. */
  readonly loses?: string;
}

export interface Difference {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** The planned change of one object. */
export interface PlanLine {
  readonly action: Change['action'] | 'same';
  readonly noun: string;
  readonly name: string;
  readonly changes: readonly Difference[];
  /** Shown behind the name. */
  readonly note?: string;
}

export interface Plan extends PlanLine {
  readonly dry_run: true;
}

const SIGNS = { create: '+', update: '~', delete: '-', same: '=' } as const;

/** A simulated key is meaningless, and timestamps change on their own. */
const HIDDEN = new Set([
  'key',
  'keys',
  'tokens',
  'id',
  'created_time',
  'accessed_time',
  'warnings',
]);

export function planDocument({ action, noun, name, before }: Change, after: unknown): Plan {
  const changes = action === 'delete' ? [] : differences(before ?? {}, after);
  return { dry_run: true, action, noun, name, changes };
}

export function planText({ action, noun, name, changes, note = '' }: PlanLine): string {
  const lines = changes.map(({ field, from, to }) =>
    from === undefined
      ? `    ${field}: ${shown(to)}`
      : `    ${field}: ${shown(from)} -> ${shown(to)}`,
  );
  return `${[`${SIGNS[action]} ${action} ${noun} ${name}${note && ` (${note})`}`, ...lines].join('\n')}\n`;
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
