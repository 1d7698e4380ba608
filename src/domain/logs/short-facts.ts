/**
 * The facts of a charged call (`other` in docs/logs.md) in the short form in which its log row is
 * stored: without what the columns of the row or the usual values say, and without repeated names.
 * Every reader gets the full form; rows of earlier versions are stored in it.
 */

/** The columns of the row that its facts repeat. */
interface FactColumns {
  readonly model_name: string;
  readonly quota: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly first_token_ms: number;
  readonly channel_id: number;
}

/** An attempt, as in `admin_info.attempts`. */
interface LoggedAttempt {
  readonly channel_id: number;
  readonly channel_name: string;
  readonly key_id: number;
  readonly upstream_model: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly duration_ms: number;
  readonly affinity?: unknown;
}

/** Values of JSON by name. */
export type LogFacts = Readonly<Record<string, unknown>>;

export interface CallFacts {
  readonly price: LogFacts;
  readonly facts: LogFacts;
  readonly attempts: readonly LoggedAttempt[];
}

/** Only the short form begins with this. */
const SHORT = '{"p":[';

const PER_TOKEN = [
  'model_ratio',
  'completion_ratio',
  'cache_ratio',
  'cache_creation_ratio',
] as const;

/** The short form, as JSON text. */
export function shortFacts(columns: FactColumns, { price, facts, attempts }: CallFacts): string {
  const { group_ratio, model_price } = price;
  const isPerToken = model_price === -1;
  const short: Record<string, unknown> = {
    p: [group_ratio, ...(isPerToken ? PER_TOKEN.map((name) => price[name]) : [model_price])],
  };
  if (price.price_name !== columns.model_name) short.price_name = price.price_name;
  if (price.price_rule !== USUAL_RULE) short.price_rule = price.price_rule;
  const usual: LogFacts = usualFacts(columns);
  for (const name in facts) {
    const value = facts[name];
    const isUsual = name === 'usage' ? isSame(value, usual.usage) : value === usual[name];
    if (!isUsual && value !== undefined) short[name] = value;
  }
  short.a = attempts.map((attempt) =>
    isPlain(columns, attempt)
      ? [attempt.channel_name, attempt.key_id, attempt.duration_ms]
      : attempt,
  );
  return JSON.stringify(short);
}

/** The full form of stored facts; a text in another form is returned as it is. */
export function fullFacts(columns: FactColumns, text: string): string {
  if (!text.startsWith(SHORT)) return text;
  const { p, a, price_name, price_rule, ...facts } = JSON.parse(text);
  const [group_ratio, first, ...others] = p;
  const isPerToken = others.length > 0;
  const attempts = a.map((attempt: unknown) =>
    Array.isArray(attempt) ? plainAttempt(columns, attempt) : attempt,
  );
  return JSON.stringify({
    group_ratio,
    price_name: price_name ?? columns.model_name,
    price_rule: price_rule ?? USUAL_RULE,
    model_price: isPerToken ? -1 : first,
    ...(isPerToken &&
      Object.fromEntries(PER_TOKEN.map((name, at) => [name, [first, ...others][at]]))),
    ...usualFacts(columns),
    ...facts,
    admin_info: {
      use_channel: attempts.map(({ channel_id }: LoggedAttempt) => String(channel_id)),
      attempts,
    },
  });
}

const USUAL_RULE = 'requested';

/** The facts of most calls. */
function usualFacts({ quota, prompt_tokens, completion_tokens, first_token_ms }: FactColumns) {
  return {
    cache_tokens: 0,
    usage: {
      ...(prompt_tokens > 0 && { input: prompt_tokens }),
      ...(completion_tokens > 0 && { output: completion_tokens }),
    },
    endpoint: 'chat',
    ending: 'answered',
    frt: first_token_ms === 0 ? -1000 : first_token_ms,
    held: 0,
    exact_units: String(quota),
  };
}

function isPlain({ model_name, channel_id }: FactColumns, attempt: LoggedAttempt): boolean {
  const { status, code, message, affinity, upstream_model } = attempt;
  const isAnswered = status === 200 && code === '' && message === '' && affinity === undefined;
  return isAnswered && attempt.channel_id === channel_id && upstream_model === model_name;
}

function plainAttempt(
  { model_name, channel_id }: FactColumns,
  [channel_name, key_id, duration_ms]: unknown[],
) {
  return {
    channel_id,
    channel_name,
    key_id,
    upstream_model: model_name,
    status: 200,
    code: '',
    message: '',
    duration_ms,
  };
}

function isSame(value: unknown, usual: unknown): boolean {
  const [mine, other]: LogFacts[] = [Object(value), Object(usual)];
  if (mine === undefined || other === undefined) return false;
  for (const name in mine) if (mine[name] !== other[name]) return false;
  return Object.keys(mine).length === Object.keys(other).length;
}
