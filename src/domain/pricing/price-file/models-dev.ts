/** The models.dev catalogue (`api.json`): providers and models, costs in USD per million tokens. */

import { isFields, type JsonFields } from '../../json-fields.ts';
import type { Rates, RateVariant } from '../catalog/model-entry.ts';
import {
  amountOf,
  type FilePrice,
  type FilePrices,
  givenRates,
  type SkippedPrice,
  sortedPrices,
} from './row.ts';

/**
 * Providers that sell their own models; if several list a name, the first one wins. Resellers'
 * prices for the same models are ignored.
 */
const VENDORS: readonly string[] = [
  'openai',
  'anthropic',
  'google',
  'xai',
  'deepseek',
  'mistral',
  'moonshotai',
  'zai',
  'alibaba',
  'minimax',
  'cohere',
  'perplexity',
  'stepfun',
  'tencent-tokenhub',
  'volcengine',
  'xiaomi',
  'groq',
  'cerebras',
];

/** Undefined if the file is not such a catalogue. */
export function readCatalogue(file: JsonFields): FilePrices | undefined {
  const providers = Object.entries(file).map(([id, facts]) => [id, modelsOf(facts)] as const);
  if (providers.length === 0 || providers.some(([, models]) => models === undefined))
    return undefined;
  const byId = new Map(providers);
  const names = new Set<string>();
  const own = VENDORS.flatMap((vendor) => Object.entries(byId.get(vendor) ?? {})).filter(
    ([model]) => !names.has(model) && names.add(model),
  );
  const resold = providers
    .filter(([id]) => !VENDORS.includes(id))
    .flatMap(([id, models]) => Object.keys(models ?? {}).map((model) => `${id}/${model}`))
    .map((model) => ({ model, reason: 'reseller' }) as const);
  return sortedPrices([...own.map(([model, facts]) => entryOf(model, facts)), ...resold]);
}

function modelsOf(provider: unknown): JsonFields | undefined {
  return isFields(provider) && isFields(provider.models) ? provider.models : undefined;
}

function entryOf(model: string, facts: unknown): FilePrice | SkippedPrice {
  const cost = isFields(facts) && isFields(facts.cost) ? facts.cost : {};
  const rates = costRates(cost);
  if (rates.input === undefined) return { model, reason: 'no_price' };
  return { model, rates, variants: longPrompts(cost) };
}

/** USD per million tokens. */
function costRates(cost: JsonFields): Rates {
  return givenRates({
    input: amountOf(cost.input),
    output: amountOf(cost.output),
    cache_read: amountOf(cost.cache_read),
    cache_write: amountOf(cost.cache_write),
    audio_input: amountOf(cost.input_audio),
    audio_output: amountOf(cost.output_audio),
  });
}

function longPrompts({ tiers }: JsonFields): readonly RateVariant[] {
  const steps = Array.isArray(tiers) ? tiers.filter(isFields) : [];
  return steps.flatMap((step) => {
    const { type, size } = isFields(step.tier) ? step.tier : {};
    return type === 'context' && typeof size === 'number'
      ? [{ when: { prompt_above: size }, rates: costRates(step) }]
      : [];
  });
}
