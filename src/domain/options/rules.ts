/**
 * Rules between options: a switch and the value it needs, and the two modes of fallback pricing.
 * They apply on save only; stored values are never checked against them.
 */
import { type OptionProblem, optionProblem } from './problems.ts';
import { boundsProblem } from './read.ts';
import { OPTION_KEYS, type OptionKey, optionRowOf } from './registry.ts';

/** The effective text of a key: stored, or the default. */
export type CurrentOption = (key: string) => string;

const FALLBACK_KEYS: readonly OptionKey[] = [
  'fallback_single_price',
  'fallback_input_ratio',
  'fallback_completion_ratio',
];

export function isFallbackPricing(key: OptionKey): boolean {
  return key === 'fallback_pricing_enabled' || FALLBACK_KEYS.includes(key);
}

export interface FallbackPricing {
  /** Whether fallback pricing is enabled. */
  readonly isOn?: boolean;
  readonly single: number | null;
  readonly input: number | null;
  readonly completion: number | null;
}

/**
 * Returns the conflict that saving `stored` under `key` would cause with the other options.
 * @param after Includes the other values of the same save.
 */
export function conflictOf(
  key: OptionKey,
  stored: string,
  before: CurrentOption,
  after: CurrentOption,
): OptionProblem | undefined {
  return (
    missingCompanion(key, stored, after) ??
    neededBy(key, stored, before, after) ??
    fallbackClash(key, stored, after) ??
    outOfBounds(key, stored, after)
  );
}

/**
 * A single price excludes the ratios, and the ratios require each other. Checks a complete set of
 * three; keys that are saved one by one pass through incomplete states, see `fallbackClash`.
 */
export function fallbackProblem(pricing: FallbackPricing): OptionProblem | undefined {
  const single = isSet(pricing.single);
  const input = isSet(pricing.input);
  const completion = isSet(pricing.completion);
  if (single && input) return optionProblem('excludes', { other: 'fallback_input_ratio' });
  if (single && completion)
    return optionProblem('excludes', { other: 'fallback_completion_ratio' });
  if (input && !completion)
    return optionProblem('incomplete_pair', { other: 'fallback_completion_ratio' });
  if (completion && !input)
    return optionProblem('incomplete_pair', { other: 'fallback_input_ratio' });
  if (pricing.isOn && !single && !input)
    return optionProblem('fallback_empty', { other: 'fallback_input_ratio' });
  return undefined;
}

/** The option that a fallback pricing problem refers to: the excess or missing one. */
export function fallbackKeyOf({ reason, params }: OptionProblem): OptionKey {
  if (reason === 'excludes') return 'fallback_single_price';
  return params.other === 'fallback_completion_ratio'
    ? 'fallback_completion_ratio'
    : 'fallback_input_ratio';
}

/** Builds fallback pricing from its stored texts. */
export function fallbackPricingOf(current: CurrentOption): FallbackPricing {
  return {
    isOn: current('fallback_pricing_enabled') === 'true',
    single: numberOrNull(current('fallback_single_price')),
    input: numberOrNull(current('fallback_input_ratio')),
    completion: numberOrNull(current('fallback_completion_ratio')),
  };
}

function missingCompanion(
  key: OptionKey,
  stored: string,
  current: CurrentOption,
): OptionProblem | undefined {
  const row = optionRowOf(key);
  if (row.type !== 'bool' || row.needs === undefined || stored !== 'true') return undefined;
  return current(row.needs).trim() === ''
    ? optionProblem('needs', { other: row.needs })
    : undefined;
}

/** A value cannot be emptied while a switch that uses it is on: the feature would fail for all users. */
function neededBy(
  key: OptionKey,
  stored: string,
  before: CurrentOption,
  after: CurrentOption,
): OptionProblem | undefined {
  if (stored !== '' || before(key) === '') return undefined;
  const isOnWithKey = (other: OptionKey) => {
    const row = optionRowOf(other);
    if (row.type !== 'bool' || after(other) !== 'true') return false;
    return row.needs === key || row.uses === key;
  };
  const other = OPTION_KEYS.find(isOnWithKey);
  return other === undefined ? undefined : optionProblem('needed_by', { other });
}

/**
 * Checks one key of fallback pricing: the input ratio may be set first and alone, the completion
 * ratio requires it, and clearing is always allowed. It can be enabled only when complete.
 */
function fallbackClash(
  key: OptionKey,
  stored: string,
  current: CurrentOption,
): OptionProblem | undefined {
  if (key === 'fallback_pricing_enabled')
    return stored === 'true'
      ? fallbackProblem({ ...fallbackPricingOf(current), isOn: true })
      : undefined;
  if (!FALLBACK_KEYS.includes(key) || !isSet(numberOrNull(stored))) return undefined;
  const found = fallbackProblem(
    fallbackPricingOf((name) => (name === key ? stored : current(name))),
  );
  const mayWait = key === 'fallback_input_ratio' && found?.reason === 'incomplete_pair';
  return mayWait ? undefined : found;
}

/** Bounds that apply while a switch is on, for its value and for the switch itself. */
export function outOfBounds(
  key: OptionKey,
  stored: string,
  current: CurrentOption,
): OptionProblem | undefined {
  for (const name of OPTION_KEYS) {
    const row = optionRowOf(name);
    if (row.type !== 'int' && row.type !== 'number') continue;
    if (row.boundWhile === undefined || (name !== key && row.boundWhile !== key)) continue;
    const textOf = (other: string) => (other === key ? stored : current(other));
    if (textOf(row.boundWhile) !== 'true') continue;
    const problem = boundsProblem(row, Number(textOf(name)));
    if (problem === undefined) continue;
    const { min, max = '' } = row;
    return name === key ? problem : optionProblem('out_of_bounds', { other: name, min, max });
  }
  return undefined;
}

function isSet(price: number | null): boolean {
  return price !== null && price > 0;
}

function numberOrNull(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}
