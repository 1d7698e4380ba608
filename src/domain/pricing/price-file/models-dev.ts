/** The models.dev catalogue (`api.json`): providers and models, costs in USD per million tokens. */

import { definedFields } from '../../defined-fields.ts';
import { isFields, type JsonFields } from '../../json-fields.ts';
import {
  amountOf,
  type FilePrice,
  type FilePrices,
  type SkippedPrice,
  sortedPrices,
} from './row.ts';
import { priceOfUsd } from './usd.ts';

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
  const input = amountOf(cost.input);
  if (input === undefined) return { model, reason: 'no_price' };
  return priceOfUsd(model, {
    in: input,
    ...definedFields({
      out: amountOf(cost.output),
      cacheRead: amountOf(cost.cache_read),
      cacheWrite: amountOf(cost.cache_write),
      audioIn: amountOf(cost.input_audio),
      audioOut: amountOf(cost.output_audio),
    }),
  });
}
