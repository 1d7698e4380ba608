/**
 * Restrictions and features of single models, as dated rows. They apply only to providers that
 * serve the models themselves: a compatible server may use the same name for another model. Source:
 * platform.openai.com and platform.moonshot.cn, API references, November 2026.
 */
import { memoizePerName } from '../../domain/memoize-per-name.ts';
import type { JsonObject } from '../../json/read-json.ts';

export interface ModelRule {
  readonly match: RegExp;
  /** Slugs of the providers to which the rule applies. */
  readonly providers: readonly string[];
  readonly rename?: Readonly<Record<string, string>>;
  /** Fields the model rejects unless they have the default value given here. */
  readonly drop?: Readonly<Record<string, unknown>>;
  /** The fields above are accepted if the request turns reasoning off. */
  readonly keepWithoutReasoning?: true;
  /** The role the model expects instead of `system`. */
  readonly systemRole?: 'developer';
  /** The name may end with a reasoning effort, such as `-high`. */
  readonly effortSuffix?: true;
  /** How `reasoning_effort` is converted; absent: it passes through unchanged. */
  readonly reasoning?: ReasoningFields;
  /** Fields to set if the client does not. */
  readonly defaults?: JsonObject;
  /** Requires streaming to answer or to think; whole answers are collected from a stream. */
  readonly streamOnly?: true;
  /** The model supports no system messages, so they become user messages. */
  readonly systemAsUser?: true;
}

/** The model's own fields for reasoning. Values set by the client are kept. */
export interface ReasoningFields {
  /** Supported effort levels; the nearest is sent. Absent: no level is sent. */
  readonly efforts?: readonly Effort[];
  /** Replaces `none`; absent: the model always thinks and gets the lowest level. */
  readonly off?: JsonObject;
  readonly on?: JsonObject;
}

/** In ascending order. */
export const EFFORT_LEVELS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORT_LEVELS)[number];

/** Sampling cannot be changed while a model reasons. */
const SAMPLING = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
  top_logprobs: undefined,
} as const;

const GROK_REFUSED = { presence_penalty: 0, frequency_penalty: 0, stop: null } as const;

/** Fixed by the platform, which rejects other values with 400. */
const KIMI_FIXED = {
  temperature: 1,
  top_p: 0.95,
  n: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
} as const;

/** Shared by Kimi, DeepSeek, GLM and Doubao. */
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
  // Chat variants do not reason; only the name of the limit differs.
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
  // They think only in streams; open ones reject non-streaming requests unless thinking is off.
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
  // Otherwise thinking is part of the text, between tags.
  { match: /^MiniMax-M[2-9]/, providers: ['minimax'], defaults: { reasoning_split: true } },
  { match: /^(lite|generalv3|pro-128k)$/, providers: ['iflytek'], systemAsUser: true },
];

const rulesOf = memoizePerName((providerSlug) =>
  MODEL_RULES.filter(({ providers }) => providers.includes(providerSlug)),
);

/** The first matching rule. */
export function modelRuleOf(providerSlug: string, model: string): ModelRule | undefined {
  return rulesOf(providerSlug).find(({ match }) => match.test(model));
}

const EFFORT = /^(.+)-(none|minimal|low|medium|high|xhigh|max)$/;

/** Name suffixes that turn on a feature in other installations of this family, by provider. */
const ENDINGS: readonly {
  readonly provider: string;
  readonly match: RegExp;
  readonly fields: JsonObject;
}[] = [
  { provider: 'volcengine', match: /^(deepseek-.+)-thinking$/, fields: SWITCH.on },
  { provider: 'baidu-v2', match: /^(.+)-search$/, fields: { web_search: { enable: true } } },
  { provider: 'alibaba', match: /^(qwen.+)-(?:search|internet)$/, fields: { enable_search: true } },
];

export interface SuffixedName {
  readonly model: string;
  /** The chat request fields that the suffix stands for. */
  readonly fields: JsonObject;
}

/**
 * The model and settings of a name like `o3-mini-high`; undefined for an ordinary name. Call it
 * only for names the channel does not list, because some real models have such suffixes.
 */
export function readNameSuffix(providerSlug: string, name: string): SuffixedName | undefined {
  const [, model, effort] = EFFORT.exec(name) ?? [];
  if (model !== undefined && modelRuleOf(providerSlug, model)?.effortSuffix)
    return { model, fields: { reasoning_effort: effort } };
  for (const { provider, match, fields } of ENDINGS) {
    const bare = provider === providerSlug ? match.exec(name)?.[1] : undefined;
    if (bare !== undefined) return { model: bare, fields };
  }
  return undefined;
}
