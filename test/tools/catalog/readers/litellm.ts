/** LiteLLM's `model_prices_and_context_window.json`: costs in USD per token, second, character or call. */
import { definedFields } from '../../../../src/domain/defined-fields.ts';
import { isFields, type JsonFields } from '../../../../src/domain/json-fields.ts';
import type { Rates, RateVariant } from '../../../../src/domain/pricing/catalog/model-entry.ts';
import {
  isPriced,
  knownRates,
  positive,
  pricedVariants,
} from '../../../../src/domain/pricing/price-file/offer.ts';
import { amountOf } from '../../../../src/domain/pricing/price-file/row.ts';
import { times } from '../../../../src/domain/pricing/rates.ts';
import type { CatalogueOffer } from '../source-model.ts';

export function readLiteLlm(file: JsonFields): readonly CatalogueOffer[] {
  return Object.entries(file).flatMap(([key, facts]) =>
    isFields(facts) ? offerOf(key, facts) : [],
  );
}

function offerOf(key: string, facts: JsonFields): CatalogueOffer {
  const provider = typeof facts.litellm_provider === 'string' ? facts.litellm_provider : '';
  const prefix = `${prefixOf(provider)}/`;
  const [first, ...above] = pricedSteps(facts);
  const tokens = { ...tokenRates(facts), ...(first && tokenRates(first)) };
  const units = unitRates(facts);
  const rates = isPriced(tokens) || Object.keys(units).length === 0 ? tokens : units;
  return {
    provider,
    name: provider !== '' && key.startsWith(prefix) ? key.slice(prefix.length) : key,
    rates: { ...rates, ...(isPriced(rates) && searchRate(facts)) },
    variants: pricedVariants([
      ...longPrompts(facts),
      ...above.flatMap(stepVariant),
      ...TIERS.flatMap(({ tier, suffix }) => tierVariants(facts, tier, suffix)),
    ]),
    ...definedFields({
      context: positive(facts.max_input_tokens),
      output_limit: positive(facts.max_output_tokens),
      retired: typeof facts.deprecation_date === 'string' ? facts.deprecation_date : undefined,
    }),
  };
}

/** What precedes the provider's name of a model in a key. */
function prefixOf(provider: string): string {
  return provider === 'cohere_chat' ? 'cohere' : provider.replace(/^amazon_nova$/, 'amazon-nova');
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

const TIERS = [
  { tier: 'priority', suffix: '_priority' },
  { tier: 'flex', suffix: '_flex' },
  { tier: 'batch', suffix: '_batches' },
] as const;

function tierVariants(facts: JsonFields, tier: string, suffix: string): readonly RateVariant[] {
  return [
    { when: { tier }, rates: tokenRates(facts, suffix) },
    ...longPrompts(facts, suffix).map(({ when, ...variant }) => ({
      ...variant,
      when: { ...when, tier },
    })),
  ];
}

function longPrompts(facts: JsonFields, suffix = ''): readonly RateVariant[] {
  return Object.keys(facts)
    .flatMap((name) => Number(/^input_cost_per_token_above_(\d+)k_tokens$/.exec(name)?.[1] ?? []))
    .filter((size) => size > 0)
    .sort((one, other) => one - other)
    .map((size) => ({
      when: { prompt_above: size * 1000 },
      rates: tokenRates(facts, `_above_${size}k_tokens${suffix}`),
    }));
}

const HOUR_WRITES = 'cache_creation_input_token_cost_above_1hr';

/** USD per million tokens; `suffix` selects the fields of a tier or a long prompt. */
function tokenRates(facts: JsonFields, suffix = ''): Rates {
  const rate = (name: string) => millionOf(amountOf(facts[name + suffix]));
  return knownRates({
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

/** Prices of models that are not charged by tokens. */
function unitRates(facts: JsonFields): Rates {
  const paid = (name: string) => {
    const amount = amountOf(facts[name]);
    return amount === 0 ? undefined : amount;
  };
  const isSound = facts.mode === 'audio_transcription';
  return knownRates({
    second: isSound ? paid('input_cost_per_second') : undefined,
    character: millionOf(paid('input_cost_per_character')),
    call:
      paid('input_cost_per_query') ?? paid('output_cost_per_image') ?? paid('input_cost_per_image'),
  });
}

/** USD per 1,000 searches, only if it does not depend on how much a search reads. */
function searchRate({ search_context_cost_per_query: costs }: JsonFields): Rates {
  const sizes = isFields(costs) ? Object.values(costs).map(amountOf) : [];
  const [usual] = sizes;
  const isUsual = usual !== undefined && usual > 0 && sizes.every((cost) => cost === usual);
  return isUsual ? { web_search: times(usual, 1000) } : {};
}

function millionOf(cost: number | undefined): number | undefined {
  return cost === undefined ? undefined : perMillion(cost);
}

/** Removes the float error of the conversion from one token to a million. */
function perMillion(cost: number): number {
  return Number(times(cost, 1_000_000).toPrecision(12));
}
