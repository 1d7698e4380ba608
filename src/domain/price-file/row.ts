/** A price as a file gives it: USD per million tokens, ratios, or USD per call. */
export interface FilePrice {
  readonly model: string;
  readonly in?: number;
  readonly out?: number;
  readonly ratio?: number;
  readonly completion?: number;
  /** Relative to the input price. */
  readonly cache?: number;
  readonly cacheWrite?: number;
  readonly audio?: number;
  /** Relative to the price of audio input. */
  readonly audioCompletion?: number;
  readonly perCall?: number;
}

export const SKIP_REASONS = [
  'no_price',
  'other_unit',
  'free_input',
  'not_a_model',
  'reseller',
  'no_base',
] as const;

/** Why an entry of a file becomes no price. */
export type SkipReason = (typeof SKIP_REASONS)[number];

export interface Skipped {
  readonly model: string;
  readonly reason: SkipReason;
}

export interface FilePrices {
  readonly prices: readonly FilePrice[];
  readonly skipped: readonly Skipped[];
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Beyond these no price or cost per token is meant, and quotients would overflow. */
const LEAST_AMOUNT = 1e-12;
const MOST_AMOUNT = 1e9;

export function amountOf(value: unknown): number | undefined {
  if (value === 0) return 0;
  const isAmount = typeof value === 'number' && value >= LEAST_AMOUNT && value <= MOST_AMOUNT;
  return isAmount ? value : undefined;
}

export function withoutAbsent<T extends object>(fields: T): Partial<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>; // fewer of the same fields
}

/** Longer names are refused as names of models. */
const LONGEST_NAME = 255;

/** Each entry is a price or a reason why it is none. */
export function sorted(entries: readonly (FilePrice | Skipped)[]): FilePrices {
  const named = entries.map((entry) =>
    isName(entry.model) ? entry : ({ model: entry.model, reason: 'not_a_model' } as const),
  );
  const skipped = named.filter((entry) => 'reason' in entry);
  const prices = named.filter((entry) => !('reason' in entry));
  return { prices, skipped };
}

function isName(model: string): boolean {
  return model !== '' && model === model.trim() && model.length <= LONGEST_NAME;
}

export function countByReason(skipped: readonly Skipped[]): ReadonlyMap<SkipReason, number> {
  const counts = new Map<SkipReason, number>();
  for (const { reason } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}
