/**
 * Recomputes the charge of a log entry from its recorded prices and tokens. Entries of older
 * systems have fewer counts; they are read by the rules those systems charged by.
 */

import { isFields, type JsonFields } from '../json-fields.ts';
import type { LogFacts } from '../logs/log-facts.ts';
import type { RateCondition, Rates } from './catalog/model-entry.ts';
import { type ChargeKind, chargeLines, chargeOf } from './charge.ts';
import { familySearchPrice, TOOL_PRICES } from './family-rules.ts';
import type { FurtherUse } from './further-uses.ts';
import type { PerTokenPrice, Price } from './price.ts';
import { completeRates, type PriceRatios, ratiosOf } from './rates.ts';
import { ratesOfRatios } from './ratio-price.ts';
import { emptyUsage, tierOf, type Usage, withTier } from './usage.ts';

export interface LoggedCall {
  /** Charged units. */
  readonly quota: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

export interface PriceDetailLine {
  readonly kind: ChargeKind;
  /** Tokens; for calls and tools, the number of uses. */
  readonly tokens: number;
  /** Rate in USD per million tokens, or per use for the others; without the group ratio, like `usd`. */
  readonly usdEach: number;
  readonly usd: number;
}

export interface PriceDetail {
  readonly price: Price;
  readonly lines: readonly PriceDetailLine[];
  readonly groupRatio: number;
  /** Whether the ratio is specific to the user instead of the group's. */
  readonly isUserRatio: boolean;
  /** The rates as ratios; absent for a price per call. */
  readonly ratios?: PriceRatios;
  /** Why the rates differ from those of a short prompt at the standard tier. */
  readonly conditions: readonly RateCondition[];
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
  facts: LogFacts,
  quotaPerUnit: number,
): PriceDetail | undefined {
  const price = priceOf(facts);
  if (price === undefined) return undefined;
  const usage = usageOf(line, facts);
  const { groupRatio, isUserRatio } = recordedGroupRatio(facts);
  const { calls = 1 } = facts;
  const further = furtherOf(facts);
  const charge = chargeOf(price, groupRatio, usage, quotaPerUnit, calls, further);
  const lines = chargeLines(price, 1, usage, quotaPerUnit, calls, further);
  const usdOf = (units: string) => Number(units) / quotaPerUnit;
  const uncached = { ...usage, input: usage.input + usage.cacheRead, cacheRead: 0 };
  const withoutCache = chargeOf(price, groupRatio, uncached, quotaPerUnit, calls, further);
  return {
    price,
    groupRatio,
    isUserRatio,
    ...(price.kind === 'per_token' && { ratios: ratiosOf(price.rates) }),
    conditions: conditionsOf(facts),
    lines: lines.map(({ units, ...line }) => ({ ...line, usd: usdOf(units) })),
    usd: usdOf(charge.exactUnits),
    units: charge.units,
    usdSaved: usdOf(withoutCache.exactUnits) - usdOf(charge.exactUnits),
    isAsCharged: Math.abs(Number(charge.exactUnits) - line.quota) <= 1,
  };
}

function priceOf(facts: LogFacts): Price | undefined {
  const { price_name: name = '', model_price: perCall, rates: recorded } = facts;
  const named = { name, rule: 'requested' } as const;
  if (perCall !== undefined && perCall >= 0)
    return { kind: 'per_call', ...named, model_price: perCall };
  const rates = recorded === undefined ? ratesOfRatios(facts, name) : completeRates(recorded, name);
  if (rates === undefined) return undefined;
  const tool = (kind: string, usual: number) =>
    recorded?.[kind as keyof Rates] ?? numberOf(facts[`${kind}_price`]) ?? usual; // a kind of rate
  return {
    kind: 'per_token',
    ...named,
    rates,
    tools: {
      web_search: tool('web_search', familySearchPrice(name)),
      file_search: tool('file_search', TOOL_PRICES.fileSearch),
      code_session: tool('code_session', TOOL_PRICES.codeSession),
    },
    ...marginalPart(facts),
  };
}

/** The recorded passes that the counts of the entry leave out. */
function furtherOf({ further_usage: recorded = [] }: LogFacts): readonly FurtherUse[] {
  return recorded.filter(isFields).map(({ price_name, rates, usage }) => ({
    price: {
      kind: 'per_token',
      ...{ name: textOf(price_name), rule: 'requested' },
      rates: completeRates(isFields(rates) ? rates : {}, textOf(price_name)),
      tools: NO_TOOLS,
    },
    usage: recordedUsage(isFields(usage) ? usage : {}),
  }));
}

const NO_TOOLS = { web_search: 0, file_search: 0, code_session: 0 } as const;

/** The rates of the part of a long prompt above a limit, if they differ. */
function marginalPart({
  marginal_rates: variants = [],
  rates: base,
}: LogFacts): Pick<PerTokenPrice, 'byAnswer'> {
  return variants.length === 0 || base === undefined ? {} : { byAnswer: { base, variants } };
}

function conditionsOf(facts: LogFacts): readonly RateCondition[] {
  if (facts.rate_conditions !== undefined) return facts.rate_conditions;
  const tier = tierOf(facts.service_tier);
  return tier === undefined || facts.service_tier_ratio === undefined ? [] : [{ tier }];
}

/** Of a user's own ratio, if it is at least 0, and that of the group. */
export function recordedGroupRatio({
  user_group_ratio: own = -1,
  group_ratio: groupRatio = 1,
}: LogFacts) {
  return own >= 0 ? { groupRatio: own, isUserRatio: true } : { groupRatio, isUserRatio: false };
}

function usageOf({ prompt_tokens, completion_tokens }: LoggedCall, facts: LogFacts): Usage {
  if (facts.usage !== undefined) return withTier(recordedUsage(facts.usage), facts.service_tier);
  if (hasAudioCounts(facts)) {
    const { text_input: input = 0, audio_input: audioInput = 0 } = facts;
    const { text_output: output = 0, audio_output: audioOutput = 0 } = facts;
    return { ...emptyUsage(), input, audioInput, output, audioOutput };
  }
  const { cache_tokens: cacheRead = 0, cache_creation_tokens: cacheWrite = 0 } = facts;
  // With this flag, the prompt count excludes cache reads and writes.
  const input = facts.claude === true ? prompt_tokens : Math.max(0, prompt_tokens - cacheRead);
  return { ...emptyUsage(), input, cacheRead, cacheWrite, output: completion_tokens };
}

/** Whether an entry of an older system counts text and audio separately. */
function hasAudioCounts(facts: LogFacts): boolean {
  return facts.audio === true || facts.ws === true || 'text_input' in facts;
}

function recordedUsage(recorded: JsonFields): Usage {
  const empty = emptyUsage();
  const kinds = Object.keys(empty).map((kind) => [kind, numberOf(recorded[kind]) ?? 0]);
  return { ...empty, ...Object.fromEntries(kinds) };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
