/**
 * What single models refuse or mean, as dated rows. They hold only at providers that serve the
 * models themselves: a compatible server may give the same name to something else.
 * Source: platform.openai.com and platform.moonshot.cn, API references, November 2026.
 */

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
}

/** Sampling cannot be steered while a model reasons. */
const SAMPLING = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
  top_logprobs: undefined,
} as const;

const OPENAI_HOSTED = ['openai', 'azure'] as const;
const OUTPUT_LIMIT = { max_tokens: 'max_completion_tokens' } as const;

export const MODEL_RULES: readonly ModelRule[] = [
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
  { match: /^grok-3-mini/, providers: ['xai'], rename: OUTPUT_LIMIT, effortSuffix: true },
  {
    match: /^kimi-/,
    providers: ['moonshot'],
    rename: OUTPUT_LIMIT,
    // Fixed by the platform: another value is answered with 400.
    drop: { temperature: 1, top_p: 0.95, n: 1, presence_penalty: 0, frequency_penalty: 0 },
  },
];

/** The first rule that fits. */
export function modelRuleOf(providerSlug: string, model: string): ModelRule | undefined {
  return MODEL_RULES.find(
    (rule) => rule.providers.includes(providerSlug) && rule.match.test(model),
  );
}

const EFFORT = /^(.+)-(none|minimal|low|medium|high|xhigh|max)$/;

export interface EffortName {
  readonly model: string;
  readonly effort: string;
}

/**
 * The model and effort that a name like `o3-mini-high` means; undefined when it means neither. Ask
 * only for a name that the channel does not list itself: there are real models that end so.
 */
export function readEffortName(providerSlug: string, name: string): EffortName | undefined {
  const [, model, effort] = EFFORT.exec(name) ?? [];
  if (model === undefined || effort === undefined) return undefined;
  return modelRuleOf(providerSlug, model)?.effortSuffix ? { model, effort } : undefined;
}
