/**
 * The facts of a log entry (`other` in docs/logs.md): their names, and the kind of value of each.
 * The relay fills them, the store keeps them as JSON, and every reader gets them from `readFacts`.
 */
import { isFields, type JsonFields, parsedFields } from '../json-fields.ts';
import type { RateCondition, Rates, RateVariant } from '../pricing/catalog/model-entry.ts';

interface Kinds {
  readonly number: number;
  readonly text: string;
  /** Other programs have codes of both kinds. */
  readonly code: string | number;
  readonly flag: boolean;
  readonly list: readonly unknown[];
  readonly fields: JsonFields;
  readonly rates: Rates;
  readonly conditions: readonly RateCondition[];
  readonly variants: readonly RateVariant[];
}

const FACTS = {
  model_ratio: 'number',
  completion_ratio: 'number',
  cache_ratio: 'number',
  cache_creation_ratio: 'number',
  audio_ratio: 'number',
  audio_completion_ratio: 'number',
  service_tier_ratio: 'number',
  group_ratio: 'number',
  user_group_ratio: 'number',
  model_price: 'number',
  price_name: 'text',
  price_rule: 'text',
  rates: 'rates',
  rate_conditions: 'conditions',
  marginal_rates: 'variants',
  cache_tokens: 'number',
  cache_creation_tokens: 'number',
  usage: 'fields',
  further_usage: 'list',
  disbelieved_usage: 'fields',
  claude: 'flag',
  audio: 'flag',
  ws: 'flag',
  audio_input: 'number',
  audio_output: 'number',
  text_input: 'number',
  text_output: 'number',
  calls: 'number',
  images: 'number',
  image_size: 'text',
  image_quality: 'text',
  exact_units: 'text',
  held: 'number',
  over_allowed: 'number',
  endpoint: 'text',
  request_path: 'text',
  ending: 'text',
  frt: 'number',
  is_model_mapped: 'flag',
  upstream_model_name: 'text',
  reasoning_effort: 'text',
  service_tier: 'text',
  service_tier_ignored: 'text',
  fields_removed: 'list',
  downgraded_from: 'text',
  input_content: 'text',
  context: 'text',
  output_content: 'text',
  system_prompt: 'text',
  is_cut: 'flag',
  error_type: 'text',
  error_code: 'code',
  status_code: 'number',
  channel_id: 'number',
  channel_name: 'text',
  channel_type: 'number',
  event: 'text',
  params: 'fields',
  reason: 'fields',
  task_id: 'text',
  action: 'text',
  platform: 'text',
  admin_info: 'fields',
} as const satisfies Readonly<Record<string, keyof Kinds>>;

type FactName = keyof typeof FACTS;

/** Entries of other programs and versions may have more, and lack any. */
export type LogFacts = JsonFields & {
  readonly [N in FactName]?: Kinds[(typeof FACTS)[N]] | undefined;
};

type Check = (value: unknown) => boolean;

const isListOfFields: Check = (value) => Array.isArray(value) && value.every(isFields);

const CHECKS: Readonly<Record<keyof Kinds, Check>> = {
  number: Number.isFinite,
  text: (value) => typeof value === 'string',
  code: (value) => typeof value === 'string' || Number.isFinite(value),
  flag: (value) => typeof value === 'boolean',
  list: Array.isArray,
  fields: isFields,
  rates: (value) => isFields(value) && Object.values(value).every(Number.isFinite),
  conditions: isListOfFields,
  variants: isListOfFields,
};

/** None for text that is not a JSON object. */
export function readFacts(text: string): LogFacts {
  return factsIn(parsedFields(text) ?? {});
}

/** A fact of another kind than its name says is left out. */
export function factsIn(facts: JsonFields): LogFacts {
  return Object.entries(facts).every(isOfItsKind)
    ? facts
    : Object.fromEntries(Object.entries(facts).filter(isOfItsKind));
}

function isOfItsKind([name, value]: readonly [string, unknown]): boolean {
  return !Object.hasOwn(FACTS, name) || CHECKS[FACTS[name as FactName]](value); // a key of the table
}

/** The facts as clients of the family get them: JSON text, or nothing. */
export function factsText(facts: LogFacts): string {
  return Object.keys(facts).length === 0 ? '' : JSON.stringify(facts);
}

/** The attempts of the call, each with fields of `LoggedAttempt`. */
export function attemptsIn({ admin_info: info }: LogFacts): readonly JsonFields[] {
  return Array.isArray(info?.attempts) ? info.attempts.filter(isFields) : [];
}

/** Ids of the channels in the order they were tried. */
export function triedChannels({ admin_info: info }: LogFacts): readonly string[] {
  return Array.isArray(info?.use_channel) ? info.use_channel.map(String) : [];
}
