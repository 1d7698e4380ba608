/** One model's price from what its maker's own entries in the catalogues say, newest first. */
import type { Rates, RateVariant } from '../../../../src/domain/pricing/catalog/model-entry.ts';
import { isPriced } from '../../../../src/domain/pricing/price-file/offer.ts';
import { OUTPUT_KINDS, TOKEN_KINDS } from '../../../../src/domain/pricing/rates.ts';
import { rounded } from '../readers/amounts.ts';
import { isSameAmount, KEPT, type SourceModel } from '../source-model.ts';
import { hasBase, type PriceParts } from './draft.ts';

export interface MergedPrice extends PriceParts {
  readonly source: string;
  readonly is_estimated?: true;
}

/** The newest price; older sources that agree with it add what it does not list. */
export function mergedPrice(newestFirst: readonly SourceModel[]): MergedPrice | undefined {
  const priced = newestFirst.filter(isSold);
  const [newest] = priced;
  if (newest === undefined) return undefined;
  const agreeing = priced.filter((model) => agrees(model.rates, newest.rates));
  const rates: Rates = Object.assign({}, ...agreeing.toReversed().map((model) => model.rates));
  return {
    rates,
    variants: [...conditionalRates(rates, agreeing), ...tierRates(priced, agreeing, rates)],
    source: newest.source,
    ...(newest.is_estimated && { is_estimated: true }),
  };
}

/** Whether the price is known: a zero in a catalogue may also be an unknown price. */
export function isSold({ rates, provider }: SourceModel): boolean {
  return hasBase(rates) && (isPriced(rates) || provider === KEPT);
}

const MAIN_KINDS = ['input', 'output', 'call', 'second', 'character'] as const;

function agrees(rates: Rates, newest: Rates): boolean {
  return MAIN_KINDS.every((kind) => {
    const [one, other] = [rates[kind], newest[kind]];
    return one === undefined || other === undefined || isSameAmount(one, other);
  });
}

/** Long prompts and hours, of the newest source that has any. */
function conditionalRates(base: Rates, agreeing: readonly SourceModel[]): readonly RateVariant[] {
  const lists = agreeing.map(({ variants }) => variants.filter(({ when }) => !when.tier));
  const variants = lists.find((list) => list.length > 0) ?? [];
  return variants.map(({ when, rates = {} }) => ({ when, rates: completed(rates, base) }));
}

/** With the kinds that the source lists for the base only, in proportion. */
function completed(rates: Rates, base: Rates): Rates {
  const inputs = (rates.input ?? 0) / (base.input ?? 1);
  const outputs = (rates.output ?? 0) / (base.output ?? 1);
  const all = TOKEN_KINDS.flatMap((kind) => {
    const amount = base[kind];
    const known = rates[kind];
    if (known !== undefined) return [[kind, known] as const];
    if (amount === undefined) return [];
    return [
      [
        kind,
        rounded(amount * (OUTPUT_KINDS.some((output) => output === kind) ? outputs : inputs)),
      ] as const,
    ];
  });
  return Object.fromEntries(all.filter(([, amount]) => amount > 0));
}

function tierRates(
  priced: readonly SourceModel[],
  agreeing: readonly SourceModel[],
  base: Rates,
): readonly RateVariant[] {
  const tiers = new Set(
    priced.flatMap(({ variants }) => variants.flatMap(({ when }) => when.tier ?? [])),
  );
  return [...tiers].sort().flatMap((tier) => {
    for (const model of priced) {
      const own = model.variants.filter(({ when }) => when.tier === tier);
      const found = tierOf(tier, model, own, agreeing.includes(model) ? base : undefined);
      if (found.length > 0) return found;
    }
    return [];
  });
}

/** A factor where all rates move alike, otherwise the rates, if they belong to the same base. */
function tierOf(
  tier: string,
  model: SourceModel,
  own: readonly RateVariant[],
  base: Rates | undefined,
): readonly RateVariant[] {
  const plain = own.find(({ when }) => when.prompt_above === undefined);
  const byFactor = own.find(({ factor }) => factor !== undefined);
  if (byFactor) return [byFactor];
  if (plain?.rates === undefined) return [];
  const factor = commonFactor(plain.rates, model.rates);
  if (factor === 1) return [];
  const long = base === undefined ? [] : own.filter((one) => isOwnPrice(one, model, factor));
  if (factor !== undefined) return [{ when: { tier }, factor }, ...long];
  return base === undefined
    ? []
    : [{ when: { tier }, rates: completed(plain.rates, base) }, ...long];
}

/** Whether the tier's rates for long prompts are not those of the factor. */
function isOwnPrice(
  { when, rates = {} }: RateVariant,
  model: SourceModel,
  factor?: number,
): boolean {
  if (when.prompt_above === undefined) return false;
  const long = model.variants.find(
    (one) => one.when.prompt_above === when.prompt_above && one.when.tier === undefined,
  );
  return long?.rates === undefined || commonFactor(rates, long.rates) !== factor;
}

function commonFactor(rates: Rates, base: Rates): number | undefined {
  const factor = (rates.input ?? 0) / (base.input ?? 1);
  const isCommon = TOKEN_KINDS.every((kind) => {
    const [one, other] = [rates[kind], base[kind]];
    return one === undefined || other === undefined || isSameAmount(one, other * factor);
  });
  const short = rounded(Math.round(factor * 100) / 100);
  return isCommon && Math.abs(short - factor) < 1e-6 ? short : undefined;
}
