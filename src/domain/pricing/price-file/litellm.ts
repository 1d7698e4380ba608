/** LiteLLM's `model_prices_and_context_window.json`: model facts, costs in USD per token. */

import { definedFields } from '../../defined-fields.ts';
import { isFields, type JsonFields } from '../../json-fields.ts';
import { multiply, nearestNumber, rationalOf } from '../decimal.ts';
import {
  amountOf,
  type FilePrice,
  type FilePrices,
  type SkippedPrice,
  sortedPrices,
} from './row.ts';
import { priceOfUsd } from './usd.ts';

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
  const input = costIn(facts, 'input_cost_per_token');
  const others = Object.keys(facts).filter(
    (name) => name.includes('cost') && (amountOf(facts[name]) ?? 0) > 0,
  );
  if (input === undefined) return { model, reason: others.length > 0 ? 'other_unit' : 'no_price' };
  const output = outputCost(facts);
  // Zero per token, but priced per search, image or second.
  if (input === 0 && (output ?? 0) === 0 && others.length > 0)
    return { model, reason: 'other_unit' };
  return tokenPrice(model, input, output, facts);
}

const PICTURES: ReadonlySet<unknown> = new Set(['image_generation', 'image_edit']);

function tokenPrice(
  model: string,
  text: number,
  output: number | undefined,
  facts: JsonFields,
): FilePrice | SkippedPrice {
  // A price has one component for all input: for image models, that of the more expensive images.
  const image = PICTURES.has(facts.mode) ? costIn(facts, 'input_cost_per_image_token') : undefined;
  const price = priceOfUsd(model, {
    in: perMillion(Math.max(text, image ?? 0)),
    ...definedFields({
      out: millionOf(output),
      audioIn: millionOf(costIn(facts, 'input_cost_per_audio_token')),
      audioOut: millionOf(costIn(facts, 'output_cost_per_audio_token')),
    }),
  });
  // Cached tokens are text, so their ratio refers to the text price.
  const cached = priceOfUsd(model, {
    in: perMillion(text),
    ...definedFields({
      cacheRead: millionOf(costIn(facts, 'cache_read_input_token_cost')),
      cacheWrite: millionOf(costIn(facts, 'cache_creation_input_token_cost')),
    }),
  });
  if ('reason' in price || 'reason' in cached) return price;
  const { cache, cacheWrite } = cached;
  return { ...price, ...definedFields({ cache, cacheWrite }) };
}

/** The image output cost for models that generate images. */
function outputCost(facts: JsonFields): number | undefined {
  const text = costIn(facts, 'output_cost_per_token');
  const image = costIn(facts, 'output_cost_per_image_token');
  return image === undefined ? text : Math.max(image, text ?? 0);
}

function costIn(facts: unknown, name: string): number | undefined {
  return isFields(facts) ? amountOf(facts[name]) : undefined;
}

function millionOf(cost: number | undefined): number | undefined {
  return cost === undefined ? undefined : perMillion(cost);
}

/** Removes the float error of the conversion from one token to a million. */
function perMillion(cost: number): number {
  return Number(nearestNumber(multiply(rationalOf(cost), rationalOf(1_000_000))).toPrecision(12));
}
