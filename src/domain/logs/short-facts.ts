/**
 * The facts of a charged call (`other` in docs/logs.md) in the short form in which its log row is
 * stored: without what the columns of the row or the usual values say, and without repeated names.
 * Every reader gets the full form; rows of earlier versions are stored in it.
 */

import type { Rates } from '../pricing/catalog/model-entry.ts';
import { completeRates, ratiosOf, type TokenRates } from '../pricing/rates.ts';
import type { Usage } from '../pricing/usage.ts';
import { answeredPrompt, claudeLogFacts } from './claude-facts.ts';
import { type LogFacts, readFacts } from './log-facts.ts';
import type { Reason } from './reasons.ts';

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
export interface LoggedAttempt {
  readonly channel_id: number;
  readonly channel_name: string;
  readonly key_id: number;
  readonly upstream_model: string;
  /** Status of the upstream's response; 0 when there was none. */
  readonly status: number;
  /** Empty for success. */
  readonly code: string;
  /** The upstream's own words. */
  readonly message: string;
  /** A failure that the gateway states itself; readers get its words as `message`. */
  readonly reason?: Reason;
  readonly duration_ms: number;
  readonly affinity?: unknown;
}

export interface CallFacts {
  /** From `shortPrice`. */
  readonly price: string;
  readonly facts: LogFacts;
  readonly attempts: readonly LoggedAttempt[];
}

/** The beginnings of the short form: with rates in USD, and of earlier versions with ratios. */
const SHORT = '{"r":[';
const SHORT_WITH_RATIOS = '{"p":[';

/** Rates that every call records, in the order of the short form. */
const RECORDED_RATES = ['input', 'output', 'cache_read', 'cache_write'] as const;

const RECORDED_RATIOS = [
  'model_ratio',
  'completion_ratio',
  'cache_ratio',
  'cache_creation_ratio',
] as const;

/** What a call is priced at. */
export interface RecordedPrice {
  readonly group_ratio: number;
  readonly price_name: string;
  readonly price_rule: string;
  /** USD per call, or the rates per token. */
  readonly rates: number | TokenRates;
}

/**
 * The price of calls to a model in the short form: members of a JSON object without its braces. The
 * same for all of these calls, so it can be cached.
 */
export function shortPrice(modelName: string, price: RecordedPrice): string {
  const { group_ratio, rates, price_name, price_rule } = price;
  const amounts = typeof rates === 'number' ? [rates] : RECORDED_RATES.map((kind) => rates[kind]);
  const short = {
    r: [group_ratio, ...amounts],
    ...(price_name !== modelName && { price_name }),
    ...(price_rule !== USUAL_RULE && { price_rule }),
  };
  return JSON.stringify(short).slice(1, -1);
}

/** The short form, as JSON text. Written piece by piece, because every call needs it. */
export function shortFacts(columns: FactColumns, { price, facts, attempts }: CallFacts): string {
  let text = `{${price}`;
  for (const name in facts) {
    const value = facts[name];
    if (value === undefined || isUsual(columns, name, value)) continue;
    text += `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
  }
  return `${text},"a":[${attempts.map((attempt) => shortAttempt(columns, attempt)).join()}]}`;
}

/** What readers get of an entry. */
export interface FullFacts {
  readonly facts: LogFacts;
  /** Without cached tokens where the facts have the flag `claude`. */
  readonly prompt_tokens: number;
}

/** The full form of stored facts. */
export function fullFacts(columns: FactColumns, text: string): FullFacts {
  const isShort = text.startsWith(SHORT) || text.startsWith(SHORT_WITH_RATIOS);
  const facts = isShort ? expanded(columns, text) : readFacts(text);
  return { facts, prompt_tokens: answeredPrompt(columns.prompt_tokens, facts) };
}

function expanded(columns: FactColumns, text: string): LogFacts {
  const { r, p, a, price_name, price_rule, rates, ...facts } = JSON.parse(text);
  const [group_ratio, ...amounts] = r ?? p;
  const attempts = a.map((attempt: unknown) =>
    Array.isArray(attempt) ? plainAttempt(columns, attempt) : attempt,
  );
  const name = price_name ?? columns.model_name;
  const isPerToken = amounts.length > 1;
  const priced = isPerToken && r !== undefined ? fullRates(amounts, rates, name) : undefined;
  return {
    group_ratio,
    user_group_ratio: NO_USER_RATIO,
    price_name: name,
    price_rule: price_rule ?? USUAL_RULE,
    model_price: isPerToken ? -1 : amounts[0],
    ...(isPerToken && (priced?.shown ?? ratioFacts(amounts))),
    ...usualFacts(columns),
    ...facts,
    ...(isPerToken && audioFacts(columns, facts)),
    ...claudeLogFacts(facts, priced?.rates),
    admin_info: {
      use_channel: attempts.map(({ channel_id }: LoggedAttempt) => String(channel_id)),
      attempts,
    },
  };
}

/** Clients of this family take a ratio of at least 0 for one that a single user has. */
const NO_USER_RATIO = -1;

/** Audio as clients of this family count it: `ws` marks realtime sessions, `audio` other calls. */
function audioFacts(columns: FactColumns, { usage, endpoint }: LogFacts): LogFacts {
  const { audioInput = 0, audioOutput = 0 }: Partial<Usage> = Object(usage);
  if (audioInput + audioOutput === 0) return {};
  return {
    [endpoint === 'realtime' ? 'ws' : 'audio']: true,
    audio_input: audioInput,
    audio_output: audioOutput,
    text_input: columns.prompt_tokens - audioInput,
    text_output: columns.completion_tokens - audioOutput,
  };
}

function ratioFacts(amounts: readonly number[]) {
  return Object.fromEntries(RECORDED_RATIOS.map((name, at) => [name, amounts[at]]));
}

/** The rates, and their view as ratios. */
function fullRates(amounts: readonly number[], rare: Rates | undefined, name: string) {
  const usual = Object.fromEntries(RECORDED_RATES.map((kind, at) => [kind, amounts[at]]));
  const recorded: Rates = { ...usual, ...rare };
  const rates = completeRates(recorded, name);
  const ratios: Readonly<Record<string, number>> = { ...ratiosOf(rates) };
  const names = [...RECORDED_RATIOS, ...(rare?.audio_input === undefined ? [] : AUDIO_RATIOS)];
  const shown = Object.fromEntries(names.map((ratio) => [ratio, ratios[ratio]]));
  return { rates, shown: { rates: recorded, ...shown } };
}

const AUDIO_RATIOS = ['audio_ratio', 'audio_completion_ratio'] as const;

const USUAL_RULE = 'requested';

/** The facts of most calls. */
function usualFacts(columns: FactColumns) {
  const { prompt_tokens, completion_tokens } = columns;
  return {
    cache_tokens: 0,
    usage: {
      ...(prompt_tokens > 0 && { input: prompt_tokens }),
      ...(completion_tokens > 0 && { output: completion_tokens }),
    },
    endpoint: 'chat',
    ending: 'answered',
    frt: usualFrt(columns),
    held: 0,
    exact_units: String(columns.quota),
  };
}

/** Whether the fact is the one of `usualFacts`, without making them. */
function isUsual(columns: FactColumns, name: string, value: unknown): boolean {
  switch (name) {
    case 'cache_tokens':
    case 'held':
      return value === 0;
    case 'usage':
      return isUsualUsage(columns, Object(value));
    case 'endpoint':
      return value === 'chat';
    case 'ending':
      return value === 'answered';
    case 'frt':
      return value === usualFrt(columns);
    case 'exact_units':
      return value === String(columns.quota);
    default:
      return false;
  }
}

function usualFrt({ first_token_ms }: FactColumns): number {
  return first_token_ms === 0 ? -1000 : first_token_ms;
}

/** Whether only input and output were counted, as in the columns. */
function isUsualUsage({ prompt_tokens, completion_tokens }: FactColumns, usage: LogFacts): boolean {
  for (const name in usage) if (name !== 'input' && name !== 'output') return false;
  const { input = 0, output = 0 } = usage;
  return input === prompt_tokens && output === completion_tokens;
}

function shortAttempt({ model_name, channel_id }: FactColumns, attempt: LoggedAttempt): string {
  const { status, code, message, affinity, upstream_model } = attempt;
  const isAnswered = status === 200 && code === '' && message === '' && affinity === undefined;
  const isPlain = isAnswered && attempt.channel_id === channel_id && upstream_model === model_name;
  const { channel_name, key_id, duration_ms } = attempt;
  return JSON.stringify(isPlain ? [channel_name, key_id, duration_ms] : attempt);
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
