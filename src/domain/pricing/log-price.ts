/**
 * Recomputes the charge of a log entry from its recorded prices and tokens. Entries of older
 * systems have fewer counts; they are read by the rules those systems charged by.
 */
import { type ChargeKind, chargeOf, tierRatioOf, toolPrices } from './charge.ts';
import { DEFAULT_RATIOS } from './price-book/family-rules.ts';
import type { Price } from './pricing.ts';
import { emptyUsage, tierOf, type Usage, withTier } from './usage.ts';

export interface LoggedCall {
  /** Charged units. */
  readonly quota: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/** The parsed fields of the entry's `other`. */
type Facts = Readonly<Record<string, unknown>>;

export interface PriceDetailLine {
  readonly kind: ChargeKind;
  /** Tokens; for calls and tools, the number of uses. */
  readonly tokens: number;
  /** USD per million tokens, or per use for the others; without the group ratio, like `usd`. */
  readonly usdEach: number;
  readonly usd: number;
}

export interface PriceDetail {
  readonly price: Price;
  readonly lines: readonly PriceDetailLine[];
  readonly groupRatio: number;
  /** Whether the ratio is specific to the user instead of the group's. */
  readonly isUserRatio: boolean;
  /** The response's service tier and its factor, included in the lines; absent if standard. */
  readonly tier?: { readonly name: string; readonly ratio: number };
  /** Includes the group ratio, before rounding. */
  readonly usd: number;
  /** Recomputed amount in whole units. */
  readonly units: number;
  /** The amount saved by cache reads compared with plain input. */
  readonly usdSaved: number;
  /** False if the charged amount differs by more than rounding. */
  readonly isAsCharged: boolean;
}

/** undefined for an entry without a price: a top-up, an error, a note. */
export function priceDetailOf(
  line: LoggedCall,
  facts: Facts,
  quotaPerUnit: number,
): PriceDetail | undefined {
  const price = priceOf(facts);
  if (price === undefined) return undefined;
  const usage = usageOf(line, facts);
  const { groupRatio, isUserRatio } = groupRatioOf(facts);
  const calls = numberOf(facts.calls) ?? 1;
  const charge = chargeOf(price, groupRatio, usage, quotaPerUnit, calls);
  const plain = chargeOf(price, 1, usage, quotaPerUnit, calls);
  const usdOf = (units: string) => Number(units) / quotaPerUnit;
  const uncached = { ...usage, input: usage.input + usage.cacheRead, cacheRead: 0 };
  const withoutCache = chargeOf(price, groupRatio, uncached, quotaPerUnit, calls);
  const tierRatio = tierRatioOf(price, usage.tier);
  const base = price.kind === 'per_token' ? USD_AT_RATIO_1 * price.model_ratio * tierRatio : 1;
  const tools = price.kind === 'per_token' ? toolPrices(price, usage) : {};
  return {
    price,
    groupRatio,
    isUserRatio,
    ...(usage.tier === undefined ? {} : { tier: { name: usage.tier, ratio: tierRatio } }),
    lines: plain.lines.map(({ kind, tokens, ratio, units }) => ({
      kind,
      tokens,
      usdEach: `${kind}_price` in tools ? exact(ratio) : exact(base * ratio),
      usd: usdOf(units),
    })),
    usd: usdOf(charge.exactUnits),
    units: charge.units,
    usdSaved: usdOf(withoutCache.exactUnits) - usdOf(charge.exactUnits),
    isAsCharged: Math.abs(Number(charge.exactUnits) - line.quota) <= 1,
  };
}

/** USD per million tokens. */
const USD_AT_RATIO_1 = 2;

/** Removes the binary rounding error from a product of two decimals. */
function exact(value: number): number {
  return Number(value.toPrecision(12));
}

function priceOf(facts: Facts): Price | undefined {
  const named = { name: textOf(facts.price_name), rule: 'requested' } as const;
  const perCall = numberOf(facts.model_price);
  if (perCall !== undefined && perCall >= 0)
    return { kind: 'per_call', ...named, model_price: perCall };
  const modelRatio = numberOf(facts.model_ratio);
  if (modelRatio === undefined) return undefined;
  const ratio = (name: string, fallback: number) => numberOf(facts[name]) ?? fallback;
  const hourCacheRatio = numberOf(facts.cache_creation_1h_ratio);
  return {
    kind: 'per_token',
    ...named,
    model_ratio: modelRatio,
    completion_ratio: ratio('completion_ratio', DEFAULT_RATIOS.completion),
    cache_ratio: ratio('cache_ratio', DEFAULT_RATIOS.cache),
    cache_creation_ratio: ratio('cache_creation_ratio', DEFAULT_RATIOS.cacheCreation),
    ...(hourCacheRatio !== undefined && { cache_creation_1h_ratio: hourCacheRatio }),
    ...Object.fromEntries(
      TOOL_FIELDS.flatMap((name) => {
        const usd = numberOf(facts[name]);
        return usd === undefined ? [] : [[name, usd]];
      }),
    ),
    ...tierRatios(facts),
    audio_ratio: ratio('audio_ratio', DEFAULT_RATIOS.audio),
    audio_completion_ratio: ratio('audio_completion_ratio', DEFAULT_RATIOS.audioCompletion),
  };
}

const TOOL_FIELDS = ['web_search_price', 'file_search_price', 'code_session_price'] as const;

function tierRatios(facts: Facts) {
  const tier = tierOf(facts.service_tier);
  const ratio = numberOf(facts.service_tier_ratio);
  return tier === undefined || ratio === undefined ? {} : { tier_ratios: { [tier]: ratio } };
}

function groupRatioOf(facts: Facts): { groupRatio: number; isUserRatio: boolean } {
  const own = numberOf(facts.user_group_ratio);
  if (own !== undefined && own >= 0) return { groupRatio: own, isUserRatio: true };
  return { groupRatio: numberOf(facts.group_ratio) ?? 1, isUserRatio: false };
}

function usageOf({ prompt_tokens, completion_tokens }: LoggedCall, facts: Facts): Usage {
  const recorded = facts.usage;
  if (typeof recorded === 'object' && recorded !== null)
    return withTier(recordedUsage(recorded), facts.service_tier);
  const count = (name: string) => numberOf(facts[name]) ?? 0;
  if (hasAudioCounts(facts)) {
    return {
      ...emptyUsage(),
      input: count('text_input'),
      audioInput: count('audio_input'),
      output: count('text_output'),
      audioOutput: count('audio_output'),
    };
  }
  const cacheRead = count('cache_tokens');
  // With this flag, the prompt count excludes cache reads and writes.
  const input = facts.claude === true ? prompt_tokens : Math.max(0, prompt_tokens - cacheRead);
  const cacheWrite = count('cache_creation_tokens');
  return { ...emptyUsage(), input, cacheRead, cacheWrite, output: completion_tokens };
}

/** Whether an entry of an older system counts text and audio separately. */
function hasAudioCounts(facts: Facts): boolean {
  return facts.audio === true || facts.ws === true || 'text_input' in facts;
}

function recordedUsage(recorded: object): Usage {
  const counts = new Map<string, unknown>(Object.entries(recorded));
  const empty = emptyUsage();
  const kinds = Object.keys(empty).map((kind) => [kind, numberOf(counts.get(kind)) ?? 0]);
  return { ...empty, ...Object.fromEntries(kinds) };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
