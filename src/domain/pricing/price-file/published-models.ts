/**
 * Prices and limits in the model list of an upstream. Fields differ by provider: OpenRouter and
 * Vercel give texts in USD per token, Together and DeepInfra numbers in USD per million tokens.
 */
import { definedFields } from '../../defined-fields.ts';
import { isFields, type JsonFields } from '../../json-fields.ts';
import type { ModelEntry, Rates } from '../catalog/model-entry.ts';
import { times } from '../rates.ts';
import { knownRates, positive } from './offer.ts';
import { amountOf, fieldOutOfRange } from './row.ts';

export interface PublishedModel extends Pick<ModelEntry, 'context' | 'output_limit'> {
  /** Undefined if the upstream publishes no price, or one outside of all bounds. */
  readonly rates?: Rates;
}

/** What an entry of a model list says besides the name. */
export function publishedModel(entry: unknown): PublishedModel {
  if (!isFields(entry)) return {};
  const rates = publishedRates(entry);
  return definedFields({
    rates:
      rates.input !== undefined && fieldOutOfRange({ rates }) === undefined ? rates : undefined,
    context: firstPositive(entry, CONTEXTS),
    output_limit:
      firstPositive(entry, OUTPUT_LIMITS) ??
      positive(fieldsIn(entry, 'top_provider').max_completion_tokens) ??
      positive(fieldsIn(entry, 'metadata').max_tokens),
  });
}

/** OpenRouter, Together and DeepInfra; Groq and Vercel; Anthropic; Gemini; Mistral; vLLM; Novita. */
const CONTEXTS = [
  'context_length',
  'context_window',
  'max_input_tokens',
  'inputTokenLimit',
  'max_context_length',
  'max_model_len',
  'context_size',
] as const;
/** Groq; Gemini; Novita; Anthropic and Vercel. */
const OUTPUT_LIMITS = [
  'max_completion_tokens',
  'outputTokenLimit',
  'max_output_tokens',
  'max_tokens',
] as const;

function firstPositive(entry: JsonFields, names: readonly string[]): number | undefined {
  const all = [entry, fieldsIn(entry, 'metadata')];
  return names
    .flatMap((name) => all.map((fields) => fields[name]))
    .map(wholeNumber)
    .find((amount) => amount !== undefined);
}

function wholeNumber(value: unknown): number | undefined {
  const amount = positive(value);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

function fieldsIn(entry: JsonFields, name: string): JsonFields {
  const value = entry[name];
  return isFields(value) ? value : {};
}

/** Names of OpenRouter, Vercel and Together, DeepInfra. */
const RATES = {
  input: ['prompt', 'input', 'input_tokens'],
  output: ['completion', 'output', 'output_tokens'],
  cache_read: ['input_cache_read', 'cached_input', 'cache_read_tokens'],
  cache_write: ['input_cache_write'],
  audio_input: ['audio'],
} as const satisfies Readonly<Partial<Record<keyof Rates, readonly string[]>>>;

function publishedRates(entry: JsonFields): Rates {
  const pricing = {
    ...fieldsIn(fieldsIn(entry, 'metadata'), 'pricing'),
    ...fieldsIn(entry, 'pricing'),
  };
  const rates = Object.entries(RATES).map(([kind, names]) => {
    const value = names.map((name) => pricing[name]).find((one) => one !== undefined);
    return [kind, usdPerMillion(value)] as const;
  });
  return knownRates(Object.fromEntries(rates));
}

/** A text is a price per token: `0.000003`; a price that depends on the choice of a model is -1. */
function usdPerMillion(value: unknown): number | undefined {
  if (typeof value !== 'string') return amountOf(value);
  if (!/^-?\d+(\.\d+)?(e-?\d+)?$/i.test(value)) return undefined;
  const amount = amountOf(Number(value));
  return amount === undefined ? undefined : Number(times(amount, 1_000_000).toPrecision(12));
}
