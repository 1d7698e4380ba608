/**
 * Ratios of model families, used for a model that has a model ratio but no ratio of its own for a
 * component. The first matching row applies; an explicit ratio always takes precedence.
 */
interface FamilyRule {
  readonly name: RegExp;
  readonly ratio: number;
}

/** Ratio of output price to input price. */
const COMPLETION_RULES: readonly FamilyRule[] = [
  { name: /^gpt-4o-gizmo-/, ratio: 3 },
  { name: /^gpt-4o-2024-05-13$|^chatgpt-4o-latest$/, ratio: 3 },
  { name: /^gpt-4o(?!.*-all$)/, ratio: 4 },
  { name: /^gpt-4\.5-preview/, ratio: 2 },
  { name: /^gpt-4-turbo|gpt-4-110[56]$/, ratio: 3 },
  { name: /^gpt-4\.1/, ratio: 4 },
  { name: /^gpt-4/, ratio: 2 },
  { name: /^gpt-5\.[4-5]/, ratio: 6 },
  { name: /^gpt-5\.6/, ratio: 5 },
  { name: /^gpt-5/, ratio: 8 },
  { name: /^gpt-6/, ratio: 5 },
  { name: /^o[134]/, ratio: 4 },
  { name: /claude-instant-1|claude-2/, ratio: 3 },
  { name: /claude-3|claude-(opus|sonnet|haiku|fable|mythos)-/, ratio: 5 },
  { name: /^gpt-3\.5-turbo$|^gpt-3\.5.*0125$/, ratio: 3 },
  { name: /^gpt-3\.5.*1106$/, ratio: 2 },
  { name: /^gpt-3\.5/, ratio: 4 / 3 },
  { name: /^gemini-2\.5-pro/, ratio: 8 },
  { name: /^gemini-2\.5-flash-preview.*-nothinking$/, ratio: 4 },
  { name: /^gemini-2\.5-flash-preview/, ratio: 35 / 6 },
  { name: /^gemini-/, ratio: 4 },
  { name: /^command-r$/, ratio: 3 },
  { name: /^command-r-plus$/, ratio: 5 },
  { name: /^command/, ratio: 4 },
  { name: /^mistral-/, ratio: 3 },
  { name: /^deepseek-(chat|reasoner)$/, ratio: 4 },
  { name: /^ERNIE-(Speed-|Lite-|Character|Functions)/, ratio: 2 },
  { name: /^llama2-70b-4096$/, ratio: 80 / 64 },
  { name: /^llama3-8b-8192$/, ratio: 2 },
  { name: /^llama3-70b-8192$/, ratio: 79 / 59 },
];

/** Ratio of audio input price to text input price. */
const AUDIO_RULES: readonly FamilyRule[] = [
  { name: /gpt-4o-realtime-preview-2024-12-17$/, ratio: 8 },
  { name: /mini.*-realtime/, ratio: 50 / 3 },
  { name: /-realtime/, ratio: 20 },
  { name: /gpt-4o-audio-preview-2024-12-17$/, ratio: 16 },
  { name: /mini.*-audio/, ratio: 200 / 3 },
  { name: /-audio/, ratio: 40 },
  // Google counts audio separately; unless the catalogue differs, audio costs the same as text.
  { name: /^gemini-/, ratio: 1 },
];

export const USUAL_AUDIO_RATIO = 20;

/** USD per 1,000 searches, as published by the vendors. */
const SEARCH_RULES: readonly FamilyRule[] = [
  { name: /gemini-[12][.-]/, ratio: 35 },
  { name: /gemini-/, ratio: 14 },
  { name: /-search-preview/, ratio: 25 },
];
/** Providers with one price for the searches of all their models, by slug. */
const PROVIDER_SEARCH_PRICES: ReadonlyMap<string, number> = new Map([
  ['groq', 8],
  // Five results at 4 USD per 1,000.
  ['openrouter', 20],
  ['perplexity', 6],
  ['xai', 5],
  ['moonshot', 5],
]);
/** The price of Anthropic and OpenAI. */
const USUAL_SEARCH_PRICE = 10;

/** Anthropic's one-hour cache writes cost 1.6 times the five-minute ones: 2 against 1.25. */
export const HOUR_CACHE_FACTOR = 1.6;

export function familyCompletionRatio(model: string): number {
  return match(COMPLETION_RULES, model) ?? 1;
}

export function familyAudioRatio(model: string): number {
  return match(AUDIO_RULES, model) ?? USUAL_AUDIO_RATIO;
}

/** USD per 1,000 searches of a model without its own search price. */
export function familySearchPrice(model: string, provider = ''): number {
  return PROVIDER_SEARCH_PRICES.get(provider) ?? match(SEARCH_RULES, model) ?? USUAL_SEARCH_PRICE;
}

/** OpenAI's prices in USD per 1,000: file searches, and containers that run code. */
export const TOOL_PRICES = { fileSearch: 2.5, codeSession: 30 } as const;

function match(rules: readonly FamilyRule[], model: string): number | undefined {
  return rules.find((rule) => rule.name.test(model))?.ratio;
}
