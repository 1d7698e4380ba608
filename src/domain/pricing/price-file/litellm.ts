/** LiteLLM's `model_prices_and_context_window.json`: costs in USD per token, second, character or call. */

import { isFields, type JsonFields } from '../../json-fields.ts';
import type { Rates, RateVariant } from '../catalog/model-entry.ts';
import { RATE_KINDS } from '../catalog/rate-kinds.ts';
import { per, times } from '../rates.ts';
import {
  amountOf,
  type FilePrice,
  type FilePrices,
  givenRates,
  type SkippedPrice,
  sortedPrices,
} from './row.ts';

/** Entries that describe the file rather than a model. */
const DESCRIPTIONS: ReadonlySet<string> = new Set(['sample_spec', 'fallback_generalizations']);

/** Undefined for a file without per-token costs. */
export function readTokenCosts(file: JsonFields): FilePrices | undefined {
  const entries = Object.entries(file).filter(([, facts]) => isFields(facts));
  const isKnown = entries.some(([, facts]) => costIn(facts, 'input_cost_per_token') !== undefined);
  if (!isKnown) return undefined;
  return sortedPrices(
    entries.map(([model, facts]) => entryOf(model, isFields(facts) ? facts : {})),
  );
}

function entryOf(model: string, facts: JsonFields): FilePrice | SkippedPrice {
  if (DESCRIPTIONS.has(model)) return { model, reason: 'not_a_model' };
  const [first = facts, ...steps] = pricedSteps(facts);
  const tokens = tokenRates(first);
  const isPerToken = Object.values(tokens).some((rate) => rate !== 0);
  const rates = isPerToken ? tokens : { ...unitRates(facts) };
  if (Object.keys(rates).length > 0 && isComplete(rates))
    return { model, rates, variants: [...steps.flatMap(stepVariant), ...variantsOf(facts)] };
  const others = Object.keys(facts).filter(
    (name) => name.includes('cost') && (amountOf(facts[name]) ?? 0) > 0,
  );
  if (others.length > 0) return { model, reason: 'other_unit' };
  return tokens.input === 0 ? { model, rates: { input: 0 } } : { model, reason: 'no_price' };
}

/** Prices by the length of the prompt, the first for short ones. */
function pricedSteps({ tiered_pricing }: JsonFields): readonly JsonFields[] {
  return Array.isArray(tiered_pricing) ? tiered_pricing.filter(isFields) : [];
}

function stepVariant(step: JsonFields): readonly RateVariant[] {
  const above = Array.isArray(step.range) ? step.range[0] : undefined;
  return typeof above === 'number' && above > 0
    ? [{ when: { prompt_above: above }, rates: tokenRates(step) }]
    : [];
}

function isComplete({ input, second, character, call }: Rates): boolean {
  return [input, second, character, call].some((rate) => rate !== undefined);
}

/** USD per million tokens; `suffix` selects the fields of a tier or a long prompt. */
function tokenRates(facts: JsonFields, suffix = ''): Rates {
  const rate = (name: string) => millionOf(amountOf(facts[name + suffix]));
  return givenRates({
    input: rate('input_cost_per_token'),
    output: rate('output_cost_per_token'),
    cache_read: rate('cache_read_input_token_cost'),
    cache_write: rate('cache_creation_input_token_cost'),
    cache_write_1h: suffix === '' ? millionOf(amountOf(facts[HOUR_WRITES])) : undefined,
    audio_input: rate('input_cost_per_audio_token'),
    audio_output: rate('output_cost_per_audio_token'),
    image_input: rate('input_cost_per_image_token'),
    image_output: rate('output_cost_per_image_token'),
  });
}

const HOUR_WRITES = 'cache_creation_input_token_cost_above_1hr';

/** Prices of models that are not charged by tokens. */
function unitRates(facts: JsonFields): Rates {
  const paid = (name: string) => {
    const amount = amountOf(facts[name]);
    return amount === 0 ? undefined : amount;
  };
  if (facts.mode === 'audio_transcription')
    return givenRates({ second: paid('input_cost_per_second') });
  if (facts.mode === 'audio_speech')
    return givenRates({ character: millionOf(paid('input_cost_per_character')) });
  if (facts.mode === 'rerank') return givenRates({ call: paid('input_cost_per_query') });
  if (IMAGES.has(facts.mode))
    return givenRates({ call: paid('output_cost_per_image') ?? paid('input_cost_per_image') });
  return {};
}

const IMAGES: ReadonlySet<unknown> = new Set(['image_generation', 'image_edit']);

const TIERS = { priority: '_priority', flex: '_flex' } as const;

function variantsOf(facts: JsonFields): readonly RateVariant[] {
  const base = tokenRates(facts);
  const tiers = Object.entries(TIERS).map(([tier, suffix]) =>
    tierVariant(tier, base, tokenRates(facts, suffix)),
  );
  const variants = [
    ...longPrompts(facts),
    ...tiers,
    // The long prompts of a tier with explicit rates, which would replace those above.
    ...tiers.flatMap(({ when, factor }) =>
      factor === undefined && when.tier !== undefined ? longPrompts(facts, when.tier) : [],
    ),
  ];
  return variants.filter(
    ({ rates, factor }) => factor !== undefined || Object.keys(rates ?? {}).length > 0,
  );
}

function longPrompts(facts: JsonFields, tier?: string): readonly RateVariant[] {
  const suffix = Object.entries(TIERS).find(([name]) => name === tier)?.[1] ?? '';
  return Object.keys(facts)
    .flatMap((name) => Number(/^input_cost_per_token_above_(\d+)k_tokens$/.exec(name)?.[1] ?? []))
    .filter((size) => size > 0)
    .sort((one, other) => one - other)
    .map((size) => ({
      when: { prompt_above: size * 1000, ...(tier !== undefined && { tier }) },
      rates: tokenRates(facts, `_above_${size}k_tokens${suffix}`),
    }));
}

/** The list rounds, so factors of the rates may differ by this part. */
const ROUNDING = 0.06;

/** A factor if it is the same for all rates, because it then applies to long prompts too. */
function tierVariant(tier: string, base: Rates, rates: Rates): RateVariant {
  const factors = RATE_KINDS.flatMap((kind) => per(rates[kind] ?? 0, base[kind] ?? 0) || []);
  const [factor] = factors;
  const isUniform =
    factor !== undefined && factors.every((other) => Math.abs(other - factor) <= ROUNDING * factor);
  return isUniform ? { when: { tier }, factor } : { when: { tier }, rates };
}

function costIn(facts: unknown, name: string): number | undefined {
  return isFields(facts) ? amountOf(facts[name]) : undefined;
}

function millionOf(cost: number | undefined): number | undefined {
  return cost === undefined ? undefined : perMillion(cost);
}

/** Removes the float error of the conversion from one token to a million. */
function perMillion(cost: number): number {
  return Number(times(cost, 1_000_000).toPrecision(12));
}
