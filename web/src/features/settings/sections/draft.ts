/** The edited settings compared with the stored ones: changes, validation, order of saving. */
import type { OptionProblem } from '../../../../../src/domain/options/problems.ts';
import { readOptionText } from '../../../../../src/domain/options/read.ts';
import {
  mayUseOption,
  OPTION_KEYS,
  type OptionKey,
  optionRowOf,
} from '../../../../../src/domain/options/registry.ts';
import {
  fallbackKeyOf,
  fallbackPricingOf,
  fallbackProblem,
  isFallbackPricing,
  outOfBounds,
} from '../../../../../src/domain/options/rules.ts';

/** The field's text by key. An absent key was not edited. */
export type SettingDraft = Readonly<Partial<Record<OptionKey, string>>>;
/** The effective text by key; never includes secrets. */
export type Stored = ReadonlyMap<string, string>;
export type SettingProblems = Readonly<Partial<Record<OptionKey, OptionProblem>>>;

export function settingText(key: OptionKey, draft: SettingDraft, stored: Stored): string {
  return (
    draft[key] ?? stored.get(key) ?? (optionRowOf(key).secret ? '' : optionRowOf(key).fallback)
  );
}

/** Whether saving changes anything: `https://a/` equals `https://a`; a blank secret is none. */
export function isChanged(key: OptionKey, draft: SettingDraft, stored: Stored): boolean {
  const text = draft[key];
  if (text === undefined) return false;
  if (optionRowOf(key).secret) return text.trim() !== '';
  const reading = readOptionText(optionRowOf(key), text);
  return (
    ('problem' in reading ? text : reading.stored) !==
    (stored.get(key) ?? optionRowOf(key).fallback)
  );
}

export function visibleKeys<K extends OptionKey>(keys: readonly K[], role: number): K[] {
  return keys.filter((key) => mayUseOption(role, key));
}

/** Validation errors of the edited fields among `keys`. */
export function settingProblems(
  keys: readonly OptionKey[],
  draft: SettingDraft,
  stored: Stored,
): SettingProblems {
  const problems: Partial<Record<OptionKey, OptionProblem>> = {};
  for (const key of keys) {
    if (!isChanged(key, draft, stored)) continue;
    const found = ownProblem(key, settingText(key, draft, stored));
    if (found) problems[key] = found;
  }
  const current = (key: string) => (isKey(key) ? settingText(key, draft, stored) : '');
  for (const key of keys) {
    if (problems[key] !== undefined || !isChanged(key, draft, stored)) continue;
    const found = outOfBounds(key, current(key), current);
    if (found) problems[key] = found;
  }
  if (keys.some(isFallbackPricing) && Object.keys(problems).length === 0) {
    const found = fallbackProblem(fallbackPricingOf(current));
    if (found) problems[fallbackKeyOf(found)] = found;
  }
  return problems;
}

function ownProblem(key: OptionKey, text: string): OptionProblem | undefined {
  const reading = readOptionText(optionRowOf(key), text);
  return 'problem' in reading ? reading.problem : undefined;
}

function isKey(key: string): key is OptionKey {
  return OPTION_KEYS.some((known) => known === key);
}

/**
 * The changed keys in the order to save them: switches first. A switch turned on comes after the
 * values it needs if they are in the same save; cleared values come before new ones.
 */
export function saveOrder(keys: readonly OptionKey[], draft: SettingDraft): OptionKey[] {
  const rank = (key: OptionKey): number => {
    if (!isSwitch(key)) return draft[key]?.trim() === '' ? 1 : 2;
    const row = optionRowOf(key);
    const needs = row.type === 'bool' ? row.needs : undefined;
    const waits =
      draft[key] === 'true' &&
      (key === 'fallback_pricing_enabled' || keys.some((other) => other === needs));
    return waits ? 3 : 0;
  };
  return [...keys].sort(
    (a, b) => rank(a) - rank(b) || OPTION_KEYS.indexOf(a) - OPTION_KEYS.indexOf(b),
  );
}

function isSwitch(key: OptionKey): boolean {
  return /enabled$/i.test(key);
}

export interface SaveResult {
  readonly saved: readonly OptionKey[];
  readonly failed: readonly { readonly key: OptionKey; readonly error: unknown }[];
}

/** One call per key; a failure does not stop the others. */
export async function saveEach(
  keys: readonly OptionKey[],
  put: (key: OptionKey) => Promise<unknown>,
): Promise<SaveResult> {
  const saved: OptionKey[] = [];
  const failed: { key: OptionKey; error: unknown }[] = [];
  for (const key of keys) {
    try {
      await put(key);
      saved.push(key);
    } catch (error) {
      failed.push({ key, error });
    }
  }
  return { saved, failed };
}

export interface MapChange {
  /** The option of the map. */
  readonly option: OptionKey;
  readonly name: string;
  /** JSON texts; undefined if absent. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The differences between two JSON maps or lists, by name; none if either is invalid. */
export function mapChanges(option: OptionKey, before: string, after: string): MapChange[] {
  const [old, young] = [entriesOf(before), entriesOf(after)];
  if (old === undefined || young === undefined) return [];
  return [...new Set([...old.keys(), ...young.keys()])]
    .map((name) => ({ option, name, before: old.get(name), after: young.get(name) }))
    .filter((change) => change.before !== change.after);
}

function entriesOf(text: string): Map<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value))
      return new Map(value.map((item) => [typeof item === 'string' ? item : print(item), '']));
    return new Map(Object.entries(value).map(([name, item]) => [name, print(item)]));
  } catch {
    return undefined;
  }
}

function print(value: unknown): string {
  return JSON.stringify(value);
}
