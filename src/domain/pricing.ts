/**
 * What a call costs: which price applies, what to hold before it and what to charge after it. One
 * module for the relay, the log's price detail, the price list, the calculator and the CLI.
 *
 * Ratio 1 is 2 USD per million tokens. Everything is computed with exact decimals and rounded once.
 */
import {
  decimalText,
  type Exact,
  exactOf,
  numberOf,
  ONE,
  plus,
  roundHalfUp,
  times,
  ZERO,
} from './decimal.ts';
import {
  collapsedName,
  DEFAULT_RATIOS,
  familyAudioRatio,
  familyCompletionRatio,
  hourRatio,
} from './price-book/family-rules.ts';
import type { Usage } from './usage.ts';

type Ratios = ReadonlyMap<string, number>;

/** Price of models that have neither price nor ratio. */
export type Fallback =
  | { readonly kind: 'per_call'; readonly model_price: number }
  | { readonly kind: 'per_token'; readonly model_ratio: number; readonly completion_ratio: number };

/** The prices in force: book and overrides already merged (`price-book/tables.ts`). */
export interface PriceTables {
  /** USD per call. */
  readonly modelPrice: Ratios;
  readonly modelRatio: Ratios;
  readonly completionRatio: Ratios;
  readonly cacheRatio: Ratios;
  readonly cacheCreationRatio: Ratios;
  readonly audioRatio: Ratios;
  readonly audioCompletionRatio: Ratios;
  readonly fallback: Fallback | undefined;
  readonly groupRatio: Ratios;
  /** Quota units per USD. */
  readonly quotaPerUnit: number;
}

/** Why this price: whose name had it, or which rule stood in. */
export type PriceRule = 'requested' | 'mapped' | 'fallback' | 'unset';

export interface PerCallPrice {
  readonly kind: 'per_call';
  readonly name: string;
  readonly rule: PriceRule;
  /** USD per call. */
  readonly model_price: number;
}

export interface PerTokenPrice {
  readonly kind: 'per_token';
  readonly name: string;
  readonly rule: PriceRule;
  readonly model_ratio: number;
  readonly completion_ratio: number;
  readonly cache_ratio: number;
  /** For five-minute writes and those of unknown lifetime. */
  readonly cache_creation_ratio: number;
  /** 1.6 times `cache_creation_ratio` when absent. */
  readonly cache_creation_1h_ratio?: number;
  readonly audio_ratio: number;
  readonly audio_completion_ratio: number;
}

/** `name` is the price name that was used, to be recorded with the charge. */
export type Price = PerCallPrice | PerTokenPrice;

export interface PriceNames {
  /** The name the client asked for, without a channel prefix. */
  readonly requested: string;
  /** The upstream name, when a mapping changed it. */
  readonly mapped?: string | undefined;
}

export interface Leniency {
  /** Self-use mode: no price is needed. */
  readonly selfUse: boolean;
  /** The user accepts models without a price. */
  readonly acceptUnset: boolean;
}

/** Ratio of a model without a price, where such calls are let through at all: 75 USD per million. */
export const UNSET_RATIO = 37.5;

/**
 * The price of a call, or undefined when there is none and the call must be refused. The requested
 * name decides if it has a price or ratio, else the mapped name; a price per call wins over a ratio.
 */
export function findPrice(
  tables: PriceTables,
  names: PriceNames,
  leniency: Leniency,
): Price | undefined {
  return (
    priceUnder(tables, names.requested, 'requested') ??
    (names.mapped === undefined ? undefined : priceUnder(tables, names.mapped, 'mapped')) ??
    fallbackPrice(tables, names.requested) ??
    (leniency.selfUse || leniency.acceptUnset
      ? perToken(tables, names.requested, 'unset', UNSET_RATIO)
      : undefined)
  );
}

function priceUnder(tables: PriceTables, model: string, rule: PriceRule): Price | undefined {
  for (const name of [model, collapsedName(model)]) {
    if (name === undefined) continue;
    const modelPrice = tables.modelPrice.get(name);
    if (modelPrice !== undefined) return { kind: 'per_call', name, rule, model_price: modelPrice };
    const modelRatio = tables.modelRatio.get(name);
    if (modelRatio !== undefined) return perToken(tables, name, rule, modelRatio);
  }
  return undefined;
}

function fallbackPrice(tables: PriceTables, name: string): Price | undefined {
  const { fallback } = tables;
  if (!fallback) return undefined;
  if (fallback.kind === 'per_call') return { ...fallback, name, rule: 'fallback' };
  return { ...perToken(tables, name, 'fallback', fallback.model_ratio), ...fallback };
}

function perToken(
  tables: PriceTables,
  name: string,
  rule: PriceRule,
  modelRatio: number,
): PerTokenPrice {
  const cacheCreation = tables.cacheCreationRatio.get(name) ?? DEFAULT_RATIOS.cacheCreation;
  return {
    kind: 'per_token',
    name,
    rule,
    model_ratio: modelRatio,
    completion_ratio: tables.completionRatio.get(name) ?? familyCompletionRatio(name),
    cache_ratio: tables.cacheRatio.get(name) ?? DEFAULT_RATIOS.cache,
    cache_creation_ratio: cacheCreation,
    cache_creation_1h_ratio: hourRatio(cacheCreation),
    audio_ratio: tables.audioRatio.get(name) ?? familyAudioRatio(name),
    audio_completion_ratio: tables.audioCompletionRatio.get(name) ?? DEFAULT_RATIOS.audioCompletion,
  };
}

/** Factor of a group; a group without one pays the plain price. */
export function groupRatioOf(tables: Pick<PriceTables, 'groupRatio'>, group: string): number {
  return tables.groupRatio.get(group) ?? 1;
}

export function isFree(price: Price, groupRatio: number): boolean {
  return (
    groupRatio === 0 || (price.kind === 'per_call' ? price.model_price : price.model_ratio) === 0
  );
}

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
  | 'image_output';

export interface ChargeLine {
  readonly kind: ChargeKind;
  /** Tokens, or calls for the kind `call`. */
  readonly tokens: number;
  /** Relative to the model ratio; the price itself (USD) for the kind `call`. */
  readonly ratio: number;
  /** Exact decimal text, before rounding. */
  readonly units: string;
}

export interface Charge {
  /** Whole quota units. */
  readonly units: number;
  /** The same before the one rounding, as decimal text. */
  readonly exactUnits: string;
  readonly lines: readonly ChargeLine[];
}

/**
 * The charge for what was delivered. A price per call is charged `calls` times whatever the tokens
 * (`calls` may be a factor like 0.45, see `imageCalls`); a price per token charges the usage, and
 * nothing when the usage is empty. Rounded once, half up, at least 1 unit unless the price is free.
 */
export function chargeOf(
  price: Price,
  groupRatio: number,
  usage: Usage,
  quotaPerUnit: number,
  calls = 1,
): Charge {
  const parts = partsOf(price, usage, calls);
  const factor = unitsPerWeight(price, groupRatio, quotaPerUnit);
  const total = times(parts.map(weightOf).reduce(plus, ZERO), factor);
  return {
    units: parts.length === 0 ? 0 : wholeUnits(total, isFree(price, groupRatio)),
    exactUnits: decimalText(total),
    // For people who ask; a call that is merely charged does not pay for it.
    get lines() {
      return parts.map((part) => lineOf(part, factor));
    },
  };
}

function lineOf(part: Part, factor: Exact): ChargeLine {
  return {
    kind: part.kind,
    tokens: part.tokens,
    ratio: numberOf(part.ratio),
    units: decimalText(times(weightOf(part), factor)),
  };
}

interface Part {
  readonly kind: ChargeKind;
  readonly tokens: number;
  readonly ratio: Exact;
}

/** What is charged, without the kinds that did not occur. */
function partsOf(price: Price, usage: Usage, calls: number): readonly Part[] {
  if (price.kind === 'per_call') {
    const tokens = countOf(calls);
    return tokens === 0 ? [] : [{ kind: 'call', tokens, ratio: exactOf(price.model_price) }];
  }
  const parts: Part[] = [];
  for (const { kind, tokensOf, ratioOf } of TOKEN_KINDS) {
    const tokens = tokensOf(usage);
    if (tokens > 0) parts.push({ kind, tokens, ratio: ratioOf(price) });
  }
  return parts;
}

interface TokenKind {
  readonly kind: ChargeKind;
  readonly tokensOf: (usage: Usage) => number;
  readonly ratioOf: (price: PerTokenPrice) => Exact;
}

const outputRatio = (price: PerTokenPrice) => exactOf(price.completion_ratio);
const audioRatio = (price: PerTokenPrice) => exactOf(price.audio_ratio);

const TOKEN_KINDS: readonly TokenKind[] = [
  { kind: 'input', tokensOf: (usage) => usage.input, ratioOf: () => ONE },
  {
    kind: 'cache_read',
    tokensOf: (usage) => usage.cacheRead,
    ratioOf: (price) => exactOf(price.cache_ratio),
  },
  {
    kind: 'cache_write',
    tokensOf: (usage) => usage.cacheWrite + usage.cacheWrite5m,
    ratioOf: (price) => exactOf(price.cache_creation_ratio),
  },
  {
    kind: 'cache_write_1h',
    tokensOf: (usage) => usage.cacheWrite1h,
    ratioOf: (price) =>
      exactOf(price.cache_creation_1h_ratio ?? hourRatio(price.cache_creation_ratio)),
  },
  { kind: 'audio_input', tokensOf: (usage) => usage.audioInput, ratioOf: audioRatio },
  { kind: 'image_input', tokensOf: (usage) => usage.imageInput, ratioOf: () => ONE },
  { kind: 'output', tokensOf: (usage) => usage.output, ratioOf: outputRatio },
  {
    kind: 'audio_output',
    tokensOf: (usage) => usage.audioOutput,
    ratioOf: (price) => times(audioRatio(price), exactOf(price.audio_completion_ratio)),
  },
  { kind: 'image_output', tokensOf: (usage) => usage.imageOutput, ratioOf: outputRatio },
];

function weightOf(part: Part): Exact {
  return times(exactOf(part.tokens), part.ratio);
}

interface Factor {
  readonly groupRatio: number;
  readonly quotaPerUnit: number;
  readonly factor: Exact;
}

/** The last factor of each price: the same group asks for the same model again and again. */
const factors = new WeakMap<Price, Factor>();

/** Units per call-dollar, or per token at ratio 1 (one unit when a USD is 500,000 units). */
function unitsPerWeight(price: Price, groupRatio: number, quotaPerUnit: number): Exact {
  const known = factors.get(price);
  if (known?.groupRatio === groupRatio && known.quotaPerUnit === quotaPerUnit) return known.factor;
  const shared = times(exactOf(groupRatio), exactOf(quotaPerUnit));
  const factor =
    price.kind === 'per_call' ? shared : times(shared, exactOf(price.model_ratio), USD_PER_TOKEN);
  factors.set(price, { groupRatio, quotaPerUnit, factor });
  return factor;
}

const USD_PER_TOKEN: Exact = { num: 2n, den: 1_000_000n };

function wholeUnits(exact: Exact, free: boolean): number {
  return free ? 0 : Math.max(1, roundHalfUp(exact));
}

export interface HoldInput {
  readonly promptTokens: number;
  /** What the request allows as output, if it says so. */
  readonly maxTokens?: number | undefined;
  /** Option PreConsumedQuota, in tokens. */
  readonly preConsumedTokens: number;
  /** For prices per call: images, or any factor as in `chargeOf`. */
  readonly calls?: number;
}

/**
 * Units to set aside before the call. The completion ratio stays out of it: a hold only has to stop
 * a user who cannot pay, settlement charges what was really used.
 */
export function holdOf(
  price: Price,
  groupRatio: number,
  input: HoldInput,
  quotaPerUnit: number,
): number {
  const tokens = countOf(input.promptTokens) + countOf(input.maxTokens ?? input.preConsumedTokens);
  const weight =
    price.kind === 'per_call'
      ? times(exactOf(price.model_price), exactOf(countOf(input.calls ?? 1)))
      : exactOf(tokens);
  return wholeUnits(
    times(weight, unitsPerWeight(price, groupRatio, quotaPerUnit)),
    isFree(price, groupRatio),
  );
}

/** Counts come from requests and upstreams: what is no positive number counts as nothing. */
function countOf(value: number): number {
  return value > 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0;
}
