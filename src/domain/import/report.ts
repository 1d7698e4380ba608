/** The report of an import: row counts per kind, and which values were lost or changed and why. */
import type { ImportedPrice } from './built-in-prices.ts';

export const IMPORTED_RESOURCES = [
  'options',
  'users',
  'tokens',
  'budgets',
  'channels',
  'redemptions',
  'redemption_logs',
  'top_ups',
  'user_subscriptions',
  'midjourneys',
  'tasks',
  'logs',
] as const;
export type ImportedResource = (typeof IMPORTED_RESOURCES)[number];

/** Reasons for a lost or changed value; the texts are in the locales under `cli.import.notes`. */
export const IMPORT_NOTES = {
  deleted: 'lost',
  empty: 'lost',
  orphan: 'lost',
  duplicate: 'lost',
  unfinished: 'lost',
  type_unknown: 'lost',
  option_unknown: 'lost',
  option_invalid: 'lost',
  option_kept: 'lost',
  column_lost: 'lost',
  table_lost: 'lost',
  not_asked: 'lost',
  plan_ended: 'lost',
  plan_unlimited: 'lost',
  budget_period: 'lost',
  second_factor_dropped: 'changed',
  field_dropped: 'changed',
  cut: 'changed',
  id_changed: 'changed',
  renamed: 'changed',
  value_taken: 'changed',
  role_lowered: 'changed',
  password_dropped: 'changed',
  password_none: 'changed',
  balance_none: 'changed',
  team_account: 'changed',
  key_hidden: 'changed',
  group_added: 'changed',
  key_rebuilt: 'changed',
  quota_unit: 'changed',
} as const;
export type NoteCode = keyof typeof IMPORT_NOTES;
export type NoteEffect = (typeof IMPORT_NOTES)[NoteCode];

export interface ImportNote {
  readonly resource: string;
  readonly effect: NoteEffect;
  readonly code: NoteCode;
  /** The affected column, option or table; '' for the whole row. */
  readonly field: string;
  readonly count: number;
  /** The first affected ids or names, or all accounts to inform; never a secret. */
  readonly examples: readonly string[];
}

/** A model whose price at the source differs from this site's. */
export interface PriceLine {
  readonly model: string;
  readonly theirs: ImportedPrice;
  /** Null if this site has no price for the model. */
  readonly ours: ImportedPrice | null;
  readonly taken: 'theirs' | 'ours';
}

export interface ImportCounts {
  /** Rows found at the source. */
  readonly found: number;
  /** Rows imported by this run. */
  readonly imported: number;
  /** Rows imported by an earlier run. */
  readonly already: number;
  readonly lost: number;
}

const MAX_EXAMPLES = 5;

/** The operator informs these accounts, so all of them are named. */
const NAMED: ReadonlySet<NoteCode> = new Set([
  'second_factor_dropped',
  'plan_unlimited',
  'not_asked',
  'password_none',
  'balance_none',
]);
const MAX_NAMED = 1_000;

export class ImportReport {
  #prices: readonly PriceLine[] = [];
  readonly #counts = new Map<ImportedResource, { -readonly [K in keyof ImportCounts]: number }>();
  readonly #notes = new Map<
    string,
    Omit<ImportNote, 'count' | 'examples'> & { count: number; examples: string[] }
  >();

  count(resource: ImportedResource, what: keyof ImportCounts, by = 1): void {
    const counts = this.#counts.get(resource) ?? { found: 0, imported: 0, already: 0, lost: 0 };
    this.#counts.set(resource, counts);
    counts[what] += by;
  }

  note(
    resource: string,
    code: NoteCode,
    about: { field?: string; example?: string | number; count?: number } = {},
  ): void {
    const { field = '', example, count = 1 } = about;
    const key = [resource, code, field].join('\n');
    const line = this.#notes.get(key) ?? {
      resource,
      effect: IMPORT_NOTES[code],
      code,
      field,
      count: 0,
      examples: [],
    };
    this.#notes.set(key, line);
    line.count += count;
    const most = NAMED.has(code) ? MAX_NAMED : MAX_EXAMPLES;
    if (example !== undefined && line.examples.length < most) line.examples.push(String(example));
  }

  /** Repeatable, because prices are compared again after options change. */
  comparePrices(lines: readonly PriceLine[]): void {
    this.#prices = lines;
  }

  prices(): readonly PriceLine[] {
    return this.#prices;
  }

  counts(): ({ readonly resource: ImportedResource } & ImportCounts)[] {
    return IMPORTED_RESOURCES.flatMap((resource) => {
      const counts = this.#counts.get(resource);
      return counts === undefined ? [] : [{ resource, ...counts }];
    });
  }

  /** Losses first. */
  notes(): ImportNote[] {
    const lines = [...this.#notes.values()];
    return [
      ...lines.filter(({ effect }) => effect === 'lost'),
      ...lines.filter(({ effect }) => effect === 'changed'),
    ];
  }
}
