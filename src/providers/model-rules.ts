/**
 * What single models refuse or mean, as dated rows. They hold only at providers that serve the
 * models themselves: a compatible server may give the same name to something else.
 * Source: platform.openai.com and platform.moonshot.cn, API references, November 2026.
 */
import type { JsonObject } from '../json/read-json.ts';

export interface ModelRule {
  readonly match: RegExp;
  /** Slugs of the providers where it is true. */
  readonly providers: readonly string[];
  readonly rename?: Readonly<Record<string, string>>;
  /** Fields it refuses at any value but the default one given here. */
  readonly drop?: Readonly<Record<string, unknown>>;
  /** The fields above are accepted when the request switches reasoning off. */
  readonly keepWithoutReasoning?: true;
  /** The role it expects instead of `system`. */
  readonly systemRole?: 'developer';
  /** The name may end in a reasoning effort, `-high`. */
  readonly effortSuffix?: true;
  /** What `reasoning_effort` becomes; absent: it goes through as it is. */
  readonly reasoning?: ReasoningFields;
  /** Fields sent where the client says nothing of them. */
  readonly defaults?: JsonObject;
  /** Whole answers are refused, or come without thoughts: they are added up from a stream. */
  readonly streamOnly?: true;
  /** It knows no system messages: the user says them. */
  readonly systemAsUser?: true;
}

/** How a model is told to think, in its own words. What the client itself says in them stays. */
export interface ReasoningFields {
  /** Effort levels it knows; the nearest is sent. None: the level is not sent at all. */
  readonly efforts?: readonly Effort[];
  /** In place of `none`; absent: it always thinks, and gets the lowest level. */
  readonly off?: JsonObject;
  readonly on?: JsonObject;
}

/** In the order of their weight. */
export const EFFORT_LEVELS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORT_LEVELS)[number];

/** Sampling cannot be steered while a model reasons. */
const SAMPLING = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
  top_logprobs: undefined,
} as const;

const GROK_REFUSED = { presence_penalty: 0, frequency_penalty: 0, stop: null } as const;

/** Set by the platform: another value is answered with 400. */
const KIMI_FIXED = {
  temperature: 1,
  top_p: 0.95,
  n: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
} as const;

/** Kimi, DeepSeek, GLM and Doubao share the words. */
const SWITCH = {
  off: { thinking: { type: 'disabled' } },
  on: { thinking: { type: 'enabled' } },
} as const;

const OPENAI_HOSTED = ['openai', 'azure'] as const;
const OUTPUT_LIMIT = { max_tokens: 'max_completion_tokens' } as const;

const MODEL_RULES: readonly ModelRule[] = [
  {
    match: /^o1(?!-mini|-preview)/,
    providers: OPENAI_HOSTED,
    rename: OUTPUT_LIMIT,
    drop: SAMPLING,
    systemRole: 'developer',
    effortSuffix: true,
  },
  {
    match: /^o3/,
    providers: OPENAI_HOSTED,
    rename: OUTPUT_LIMIT,
    drop: { ...SAMPLING, stop: null },
    systemRole: 'developer',
    effortSuffix: true,
  },
  {
    match: /^o[14]/,
    providers: OPENAI_HOSTED,
    rename: OUTPUT_LIMIT,
    drop: { ...SAMPLING, stop: null },
    effortSuffix: true,
  },
  // The chat variants do not reason: nothing but the limit's name differs.
  { match: /^gpt-[5-9][^/]*-chat/, providers: OPENAI_HOSTED, rename: OUTPUT_LIMIT },
  {
    match: /^gpt-[5-9]/,
    providers: OPENAI_HOSTED,
    rename: OUTPUT_LIMIT,
    drop: SAMPLING,
    keepWithoutReasoning: true,
    effortSuffix: true,
  },
  {
    match: /^grok-3-mini/,
    providers: ['xai'],
    rename: OUTPUT_LIMIT,
    drop: GROK_REFUSED,
    effortSuffix: true,
    reasoning: { efforts: ['low', 'high'] },
  },
  { match: /^grok-.*non-reasoning/, providers: ['xai'], reasoning: { off: {} } },
  {
    match: /^grok-([4-9]|build)/,
    providers: ['xai'],
    drop: GROK_REFUSED,
    reasoning: { efforts: ['low', 'medium', 'high'] },
  },
  {
    match: /^kimi-k3/,
    providers: ['moonshot'],
    rename: OUTPUT_LIMIT,
    drop: KIMI_FIXED,
    reasoning: { efforts: ['low', 'high', 'max'] },
  },
  {
    match: /^kimi-/,
    providers: ['moonshot'],
    rename: OUTPUT_LIMIT,
    drop: KIMI_FIXED,
    reasoning: SWITCH,
  },
  {
    match: /^deepseek-/,
    providers: ['deepseek'],
    reasoning: { ...SWITCH, efforts: ['high', 'max'] },
  },
  { match: /^glm-(4\.[5-9]|[5-9])/, providers: ['zhipu', 'zhipu-v4'], reasoning: SWITCH },
  {
    match: /^(doubao|deepseek|glm|kimi)-/,
    providers: ['volcengine'],
    reasoning: { off: SWITCH.off, efforts: ['minimal', 'low', 'medium', 'high'] },
  },
  // Only their streams think; a whole answer of the open ones is refused unless they do not.
  {
    match: /^(qwq|qvq)|^qwen3.*-thinking/,
    providers: ['alibaba'],
    streamOnly: true,
    reasoning: {},
  },
  {
    match: /^qwen3-(\d|next)/,
    providers: ['alibaba'],
    streamOnly: true,
    reasoning: { off: { enable_thinking: false }, on: { enable_thinking: true } },
  },
  {
    match: /^qwen/,
    providers: ['alibaba'],
    reasoning: { off: { enable_thinking: false }, on: { enable_thinking: true } },
  },
  {
    match: /Qwen3|DeepSeek-V3\.[1-9]|GLM-4\.[5-9]/,
    providers: ['siliconflow'],
    reasoning: { off: { enable_thinking: false }, on: { enable_thinking: true } },
  },
  // Else thoughts stand between tags in the text.
  { match: /^MiniMax-M[2-9]/, providers: ['minimax'], defaults: { reasoning_split: true } },
  { match: /^(lite|generalv3|pro-128k)$/, providers: ['iflytek'], systemAsUser: true },
];

/** The first rule that fits. */
export function modelRuleOf(providerSlug: string, model: string): ModelRule | undefined {
  return MODEL_RULES.find(
    (rule) => rule.providers.includes(providerSlug) && rule.match.test(model),
  );
}

const EFFORT = /^(.+)-(none|minimal|low|medium|high|xhigh|max)$/;

/** Endings by which other installations of this family switch something on, by provider. */
const ENDINGS: readonly {
  readonly provider: string;
  readonly match: RegExp;
  readonly fields: JsonObject;
}[] = [
  { provider: 'volcengine', match: /^(deepseek-.+)-thinking$/, fields: SWITCH.on },
  { provider: 'baidu-v2', match: /^(.+)-search$/, fields: { web_search: { enable: true } } },
  { provider: 'alibaba', match: /^(qwen.+)-(?:search|internet)$/, fields: { enable_search: true } },
];

export interface ReadName {
  readonly model: string;
  /** Fields of a chat request that the ending stands for. */
  readonly fields: JsonObject;
}

/**
 * The model and the wish that a name like `o3-mini-high` means; undefined when it means neither. Ask
 * only for a name that the channel does not list itself: there are real models that end so.
 */
export function readEnding(providerSlug: string, name: string): ReadName | undefined {
  const [, model, effort] = EFFORT.exec(name) ?? [];
  if (model !== undefined && modelRuleOf(providerSlug, model)?.effortSuffix)
    return { model, fields: { reasoning_effort: effort } };
  for (const { provider, match, fields } of ENDINGS) {
    const bare = provider === providerSlug ? match.exec(name)?.[1] : undefined;
    if (bare !== undefined) return { model: bare, fields };
  }
  return undefined;
}
