/** LiteLLM's `model_prices_and_context_window.json`: USD per token, second, character or call. */
import { definedFields } from '../../../src/domain/defined-fields.ts';
import type { Rates, RateVariant } from '../../../src/domain/pricing/catalog/model-entry.ts';
import type { SourceModel } from '../source-model.ts';
import { isPriced, perMillion, positive, pricedVariants, ratesOf } from './amounts.ts';

type Model = Readonly<Record<string, unknown>>;

/** Key to facts. */
export type LiteLlmFile = Readonly<Record<string, Model>>;

export function readLiteLlm(file: LiteLlmFile, source: string): readonly SourceModel[] {
  return Object.entries(file).map(([key, model]) => {
    const provider = String(model.litellm_provider);
    return {
      source,
      provider,
      name: key.startsWith(`${prefixOf(provider)}/`)
        ? key.slice(prefixOf(provider).length + 1)
        : key,
      ...priceOf(model),
      ...definedFields({
        context: positive(model.max_input_tokens),
        output_limit: positive(model.max_output_tokens),
        retired: typeof model.deprecation_date === 'string' ? model.deprecation_date : undefined,
      }),
    };
  });
}

function prefixOf(provider: string): string {
  return provider === 'cohere_chat' ? 'cohere' : provider.replace(/^amazon_nova$/, 'amazon-nova');
}

function priceOf(model: Model): Pick<SourceModel, 'rates' | 'variants'> {
  const [first, ...above] = steps(model);
  const tokens = { ...tokenRates(model), ...(first && tokenRates(first)) };
  const rates = isPriced(tokens) ? tokens : unitRates(model);
  return {
    rates: { ...rates, ...(isPriced(rates) && searchRate(model)) },
    variants: pricedVariants([
      ...longPrompts(model),
      ...above.map((step) => ({
        when: { prompt_above: Number(Array.isArray(step.range) ? step.range[0] : 0) },
        rates: tokenRates(step),
      })),
      ...TIERS.flatMap(({ tier, suffix }) => tierRates(model, tier, suffix)),
    ]),
  };
}

function steps(model: Model): readonly Model[] {
  return Array.isArray(model.tiered_pricing) ? model.tiered_pricing : [];
}

const TIERS = [
  { tier: 'priority', suffix: '_priority' },
  { tier: 'flex', suffix: '_flex' },
  { tier: 'batch', suffix: '_batches' },
] as const;

function tierRates(model: Model, tier: string, suffix: string): readonly RateVariant[] {
  return [
    { when: { tier }, rates: tokenRates(model, suffix) },
    ...longPrompts(model, suffix).map(({ when, rates }) => ({
      when: { ...when, tier },
      ...definedFields({ rates }),
    })),
  ];
}

function longPrompts(model: Model, suffix = ''): readonly RateVariant[] {
  const sizes = Object.keys(model).flatMap((field) => {
    const [, size] = /^input_cost_per_token_above_(\d+)k_tokens$/.exec(field) ?? [];
    return size === undefined ? [] : [Number(size)];
  });
  return sizes
    .sort((a, b) => a - b)
    .map((size) => ({
      when: { prompt_above: size * 1000 },
      rates: tokenRates(model, `_above_${size}k_tokens${suffix}`),
    }));
}

function tokenRates(model: Model, suffix = ''): Rates {
  const read = (field: string) => {
    const cost = model[field + suffix];
    return typeof cost === 'number' ? perMillion(cost) : undefined;
  };
  return ratesOf({
    input: read('input_cost_per_token'),
    output: read('output_cost_per_token'),
    cache_read: read('cache_read_input_token_cost'),
    cache_write: read('cache_creation_input_token_cost'),
    audio_input: read('input_cost_per_audio_token'),
    audio_output: read('output_cost_per_audio_token'),
    image_input: read('input_cost_per_image_token'),
    image_output: read('output_cost_per_image_token'),
  });
}

function unitRates(model: Model): Rates {
  const isSound = model.mode === 'audio_transcription';
  const character = positive(model.input_cost_per_character);
  return ratesOf({
    second: isSound ? positive(model.input_cost_per_second) : undefined,
    character: character === undefined ? undefined : perMillion(character),
    call:
      positive(model.input_cost_per_query) ??
      positive(model.output_cost_per_image) ??
      positive(model.input_cost_per_image),
  });
}

/** Only if it does not depend on how much a search reads. */
function searchRate(model: Model): Rates {
  const costs = model.search_context_cost_per_query;
  const sizes = typeof costs === 'object' && costs !== null ? Object.values(costs) : [];
  const [usual] = sizes;
  const isUsual = typeof usual === 'number' && sizes.every((cost) => cost === usual);
  return ratesOf({ web_search: isUsual ? usual * 1000 : undefined });
}
