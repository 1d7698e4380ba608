/** Puts the names of one model together. */
import type {
  ModelEntry,
  Rates,
  RateVariant,
} from '../../../../src/domain/pricing/catalog/model-entry.ts';
import { TOKEN_KINDS } from '../../../../src/domain/pricing/rates.ts';
import { type Correction, correctionsOf } from '../corrections.ts';
import { isSameAmount } from '../source-model.ts';
import { type Draft, mergedFacts } from './draft.ts';
import { isDated, undatedName } from './names.ts';

/** Names that differ only in a date are one model if they cost the same. */
export function groupedEntries(
  drafts: readonly Draft[],
  corrections: readonly Correction[],
): readonly ModelEntry[] {
  const groups = new Map<string, Draft[][]>();
  for (const draft of drafts.toSorted(newestFirst)) {
    const key = `${draft.maker} ${undatedName(draft.name)}`;
    const known = groups.get(key) ?? [];
    groups.set(key, known);
    const same = known.find(([first]) => first !== undefined && isSamePrice(first, draft));
    if (same) same.push(draft);
    else known.push([draft]);
  }
  return [...groups.values()].flat().map((group) => entryOf(group, corrections));
}

/** The newest price first, then names without a date. */
function newestFirst(a: Draft, b: Draft): number {
  return (
    a.age - b.age ||
    Number(isDated(a.name)) - Number(isDated(b.name)) ||
    compareNames(a.name, b.name)
  );
}

/** Not `localeCompare`, whose order depends on the machine. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const TOOL_KINDS = ['web_search', 'file_search', 'code_session'] as const;
const UNIT_KINDS = ['call', 'second', 'character'] as const;

const RATE_ORDER = [...TOKEN_KINDS, ...TOOL_KINDS, ...UNIT_KINDS] as const;

function isSamePrice(one: Draft, other: Draft): boolean {
  if (one.no_price !== other.no_price) return false;
  const isSame = [...TOKEN_KINDS, ...UNIT_KINDS].every((kind) => {
    const [left, right] = [one.rates?.[kind], other.rates?.[kind]];
    const isUnit = UNIT_KINDS.some((unit) => unit === kind);
    if (left === undefined || right === undefined) return !isUnit || left === right;
    return isSameAmount(left, right);
  });
  return isSame && (one.rates === undefined) === (other.rates === undefined);
}

function entryOf(group: readonly Draft[], corrections: readonly Correction[]): ModelEntry {
  const [first, ...others] = group;
  if (first === undefined) throw new Error('a group has a name');
  const { name, maker, source, no_price, is_estimated } = first;
  const rates = ratesOfGroup(group);
  const { retired: __, ...facts } = mergedFacts(group);
  const variants = group
    .map((draft) => draft.variants)
    .reduce(withMissing)
    .map((one) => (one.rates ? { ...one, rates: ordered(one.rates) } : one));
  const also = group.flatMap((draft) =>
    correctionsOf(corrections, draft.name).flatMap((row) => row.also ?? []),
  );
  const retired = group.map((draft) => draft.retired ?? '');
  return {
    names: [...new Set([name, ...others.map((draft) => draft.name).sort(compareNames), ...also])],
    maker,
    ...(first.rates && { rates }),
    ...(variants.length > 0 && { variants }),
    ...(no_price !== undefined && { no_price }),
    ...(is_estimated && { is_estimated }),
    source,
    ...facts,
    ...(retired.every((day) => day !== '') && { retired: retired.sort(compareNames).at(-1) ?? '' }),
  };
}

/** The newest rates, and what only older sources list. */
function ratesOfGroup(group: readonly Draft[]): Rates {
  return ordered(Object.assign({}, ...group.toReversed().map((draft) => draft.rates)));
}

function ordered(rates: Rates): Rates {
  const known = RATE_ORDER.flatMap((kind) => {
    const rate = rates[kind];
    return rate === undefined ? [] : [[kind, rate] as const];
  });
  return Object.fromEntries(known);
}

/** A model's variants of a kind come from one name, so that they fit each other. */
function withMissing(
  variants: readonly RateVariant[],
  others: readonly RateVariant[],
): readonly RateVariant[] {
  const kindOf = ({ when }: RateVariant) => when.tier ?? when.provider ?? Object.keys(when).join();
  const known = new Set(variants.map(kindOf));
  return [...variants, ...others.filter((variant) => !known.has(kindOf(variant)))];
}
