/**
 * Computes the price of a call: the hold before it and the charge after it. Shared by the relay,
 * the log's price detail, the calculator and the CLI. All amounts are exact decimals, rounded once.
 */
import {
  add,
  decimalText,
  multiply,
  nearestNumber,
  ONE,
  type Rational,
  rationalOf,
  roundHalfUp,
  ZERO,
} from './decimal.ts';
import { familySearchPrice, hourCacheRatio, TOOL_PRICES } from './price-book/family-rules.ts';
import { isFree, type PerTokenPrice, type Price } from './pricing.ts';
import type { Usage } from './usage.ts';

export type ChargeKind =
  | 'call'
  | 'input'
  | 'cache_read'
  | 'cache_write'
  | 'cache_write_1h'
  | 'audio_input'
  | 'image_input'
  | 'output'
  | 'audio_output'
  | 'image_output'
  | 'web_search'
  | 'file_search'
  | 'code_session';

export interface ChargeLine {
  readonly kind: ChargeKind;
  /** Tokens; for the kind `call` and for tools, the number of calls. */
  readonly tokens: number;
  /** Relative to the model ratio; for the kind `call` and for tools, the unit price in USD. */
  readonly ratio: number;
  /** Exact decimal text, before rounding. */
  readonly units: string;
}

export interface Charge {
  /** Whole quota units. */
  readonly units: number;
  /** The same before rounding, as decimal text. */
  readonly exactUnits: string;
  readonly lines: readonly ChargeLine[];
}

/**
 * The charge for the delivered usage. A per-call price is multiplied by `calls` regardless of
 * tokens (`calls` may be a factor like 0.45, see `imageCalls`); a per-token price charges the
 * usage, and nothing if it is empty. Rounded once, half up, at least 1 unit unless the price is
 * free.
 */
export function chargeOf(
  price: Price,
  groupRatio: number,
  usage: Usage,
  quotaPerUnit: number,
  calls = 1,
): Charge {
  const parts = partsOf(price, usage, calls);
  const factor = tiered(unitsPerWeight(price, groupRatio, quotaPerUnit), price, usage.tier);
  const tools = toolParts(price, usage);
  const perUsd =
    tools.length === 0 ? ZERO : multiply(rationalOf(groupRatio), rationalOf(quotaPerUnit));
  const used = multiply(tools.map(weightOf).reduce(add, ZERO), perUsd);
  const total = add(multiply(parts.map(weightOf).reduce(add, ZERO), factor), used);
  const isNothing = parts.length + tools.length === 0;
  return {
    units: isNothing ? 0 : wholeUnits(total, isFree(price, groupRatio)),
    exactUnits: decimalText(total),
    // A getter, so that a charge whose details are not shown does not compute them.
    get lines() {
      return [
        ...parts.map((part) => lineOf(part, factor)),
        ...tools.map((part) => lineOf(part, perUsd)),
      ];
    },
  };
}

function lineOf(part: Part, factor: Rational): ChargeLine {
  return {
    kind: part.kind,
    tokens: part.tokens,
    ratio: nearestNumber(part.ratio),
    units: decimalText(multiply(weightOf(part), factor)),
  };
}

interface Part {
  readonly kind: ChargeKind;
  readonly tokens: number;
  readonly ratio: Rational;
}

/** The billed components with a count above 0. */
function partsOf(price: Price, usage: Usage, calls: number): readonly Part[] {
  if (price.kind === 'per_call') {
    const tokens = countOf(calls);
    return tokens === 0 ? [] : [{ kind: 'call', tokens, ratio: rationalOf(price.model_price) }];
  }
  const parts: Part[] = [];
  for (const { kind, tokensOf, ratioOf } of TOKEN_KINDS) {
    const tokens = tokensOf(usage);
    if (tokens > 0) parts.push({ kind, tokens, ratio: ratioOf(price) });
  }
  return parts;
}

/** Whether the per-token price has a factor for this service tier. */
export function hasTierRatio(price: Price | undefined, tier: string): boolean {
  return price?.kind === 'per_token' && Object.hasOwn(price.tier_ratios ?? {}, tier);
}

/** Factor of a service tier on the price of tokens; 1 for a tier without one. */
export function tierRatioOf(price: Price, tier: string | undefined): number {
  if (tier === undefined || price.kind === 'per_call' || !hasTierRatio(price, tier)) return 1;
  return price.tier_ratios?.[tier] ?? 1;
}

function tiered(factor: Rational, price: Price, tier: string | undefined): Rational {
  const ratio = tierRatioOf(price, tier);
  return ratio === 1 ? factor : multiply(factor, rationalOf(ratio));
}

interface ToolKind {
  readonly kind: 'web_search' | 'file_search' | 'code_session';
  readonly timesOf: (usage: Usage) => number;
  /** USD per 1,000. */
  readonly priceOf: (price: PerTokenPrice) => number;
}

/** Vendor tools are priced in USD, independent of the model ratio. */
const TOOL_KINDS: readonly ToolKind[] = [
  {
    kind: 'web_search',
    timesOf: (usage) => usage.webSearches,
    priceOf: (price) => price.web_search_price ?? familySearchPrice(price.name),
  },
  {
    kind: 'file_search',
    timesOf: (usage) => usage.fileSearches,
    priceOf: (price) => price.file_search_price ?? TOOL_PRICES.fileSearch,
  },
  {
    kind: 'code_session',
    timesOf: (usage) => usage.codeSessions,
    priceOf: (price) => price.code_session_price ?? TOOL_PRICES.codeSession,
  },
];

/** USD per 1,000 uses of each tool used, keyed by the field name of the price and the log. */
export function toolPrices(price: PerTokenPrice, usage: Usage): Readonly<Record<string, number>> {
  const used = TOOL_KINDS.filter(({ timesOf }) => timesOf(usage) > 0);
  return Object.fromEntries(used.map(({ kind, priceOf }) => [`${kind}_price`, priceOf(price)]));
}

/** A per-call price includes tools. */
function toolParts(price: Price, usage: Usage): readonly Part[] {
  if (price.kind === 'per_call') return [];
  return TOOL_KINDS.flatMap(({ kind, timesOf, priceOf }) => {
    const tokens = timesOf(usage);
    if (tokens <= 0) return [];
    return [{ kind, tokens, ratio: multiply(rationalOf(priceOf(price)), THOUSANDTH) }];
  });
}

const THOUSANDTH: Rational = { num: 1n, den: 1_000n };

interface TokenKind {
  readonly kind: ChargeKind;
  readonly tokensOf: (usage: Usage) => number;
  readonly ratioOf: (price: PerTokenPrice) => Rational;
}

const outputRatio = (price: PerTokenPrice) => rationalOf(price.completion_ratio);
const audioRatio = (price: PerTokenPrice) => rationalOf(price.audio_ratio);

const TOKEN_KINDS: readonly TokenKind[] = [
  { kind: 'input', tokensOf: (usage) => usage.input, ratioOf: () => ONE },
  {
    kind: 'cache_read',
    tokensOf: (usage) => usage.cacheRead,
    ratioOf: (price) => rationalOf(price.cache_ratio),
  },
  {
    kind: 'cache_write',
    tokensOf: (usage) => usage.cacheWrite + usage.cacheWrite5m,
    ratioOf: (price) => rationalOf(price.cache_creation_ratio),
  },
  {
    kind: 'cache_write_1h',
    tokensOf: (usage) => usage.cacheWrite1h,
    ratioOf: (price) =>
      rationalOf(price.cache_creation_1h_ratio ?? hourCacheRatio(price.cache_creation_ratio)),
  },
  { kind: 'audio_input', tokensOf: (usage) => usage.audioInput, ratioOf: audioRatio },
  { kind: 'image_input', tokensOf: (usage) => usage.imageInput, ratioOf: () => ONE },
  { kind: 'output', tokensOf: (usage) => usage.output, ratioOf: outputRatio },
  {
    kind: 'audio_output',
    tokensOf: (usage) => usage.audioOutput,
    ratioOf: (price) => multiply(audioRatio(price), rationalOf(price.audio_completion_ratio)),
  },
  { kind: 'image_output', tokensOf: (usage) => usage.imageOutput, ratioOf: outputRatio },
];

function weightOf(part: Part): Rational {
  return multiply(rationalOf(part.tokens), part.ratio);
}

interface Factor {
  readonly groupRatio: number;
  readonly quotaPerUnit: number;
  readonly factor: Rational;
}

/** The last factor of each price: the same group usually requests the same model repeatedly. */
const factors = new WeakMap<Price, Factor>();

/** Units per USD of a per-call price, or per token at ratio 1 (1 if a USD is 500,000 units). */
function unitsPerWeight(price: Price, groupRatio: number, quotaPerUnit: number): Rational {
  const known = factors.get(price);
  if (known?.groupRatio === groupRatio && known.quotaPerUnit === quotaPerUnit) return known.factor;
  const shared = multiply(rationalOf(groupRatio), rationalOf(quotaPerUnit));
  const factor =
    price.kind === 'per_call'
      ? shared
      : multiply(shared, rationalOf(price.model_ratio), USD_PER_TOKEN);
  factors.set(price, { groupRatio, quotaPerUnit, factor });
  return factor;
}

const USD_PER_TOKEN: Rational = { num: 2n, den: 1_000_000n };

function wholeUnits(exact: Rational, free: boolean): number {
  return free ? 0 : Math.max(1, roundHalfUp(exact));
}

export interface HoldInput {
  /** Prompt tokens without audio. */
  readonly promptTokens: number;
  readonly audioTokens?: number;
  /** The prompt requests the vendor's one-hour cache, whose writes cost more. */
  readonly keepsHour?: boolean;
  /** Output limit of one answer; undefined if unknown. */
  readonly maxTokens?: number | undefined;
  /** Option PreConsumedQuota, in tokens: held for an answer without a limit. */
  readonly preConsumedTokens?: number;
  /** The number of requested answers; the limit applies to each. */
  readonly answers?: number;
  /** Whether the answer may be audio. */
  readonly hasAudioAnswer?: boolean;
  /** Requested tier; only a more expensive one changes the hold, as a cheaper one may not apply. */
  readonly tier?: string | undefined;
  /** For prices per call: images, or any factor as in `chargeOf`. */
  readonly calls?: number;
}

/**
 * Units to hold before the call: the prompt once and every answer at its full length, each at the
 * most expensive token type it can be billed as. Usage within these tokens is never charged more,
 * because both are rounded the same way.
 */
export function holdOf(
  price: Price,
  groupRatio: number,
  input: HoldInput,
  quotaPerUnit: number,
): number {
  const weight =
    price.kind === 'per_call'
      ? multiply(rationalOf(price.model_price), rationalOf(countOf(input.calls ?? 1)))
      : add(promptWeight(price, input), outputWeight(price, input));
  const factor = unitsPerWeight(price, groupRatio, quotaPerUnit);
  const tier = rationalOf(Math.max(1, tierRatioOf(price, input.tier)));
  return wholeUnits(multiply(weight, factor, tier), isFree(price, groupRatio));
}

function promptWeight(price: PerTokenPrice, input: HoldInput): Rational {
  const { promptTokens, audioTokens = 0, keepsHour = false } = input;
  const { cache_ratio, cache_creation_ratio, cache_creation_1h_ratio, audio_ratio } = price;
  const hour = keepsHour ? (cache_creation_1h_ratio ?? hourCacheRatio(cache_creation_ratio)) : 0;
  const highestRatio = Math.max(1, cache_ratio, cache_creation_ratio, hour);
  return add(
    multiply(rationalOf(countOf(promptTokens)), rationalOf(highestRatio)),
    multiply(rationalOf(countOf(audioTokens)), rationalOf(Math.max(highestRatio, audio_ratio))),
  );
}

function outputWeight(price: PerTokenPrice, input: HoldInput): Rational {
  const { maxTokens, preConsumedTokens = 0, answers = 1, hasAudioAnswer = false } = input;
  const spoken = multiply(audioRatio(price), rationalOf(price.audio_completion_ratio));
  const written = outputRatio(price);
  const ratio = hasAudioAnswer && nearestNumber(spoken) > nearestNumber(written) ? spoken : written;
  const each =
    maxTokens === undefined
      ? rationalOf(countOf(preConsumedTokens))
      : multiply(rationalOf(countOf(maxTokens)), ratio);
  return multiply(each, rationalOf(Math.max(1, countOf(answers))));
}

/** Counts come from requests and upstreams: anything but a positive number counts as 0. */
function countOf(value: number): number {
  return value > 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0;
}
