/**
 * Computes the charge of a call. Shared by the relay, the log's price detail, the calculator and the
 * CLI. All amounts are exact decimals, rounded once.
 */
import type { RateVariant } from './catalog/model-entry.ts';
import {
  add,
  decimalText,
  divide,
  multiply,
  ONE,
  type Rational,
  rationalOf,
  reduced,
  roundHalfUp,
  ZERO,
} from './decimal.ts';
import { type FurtherUse, NO_FURTHER } from './further-uses.ts';
import { isFree, type PerTokenPrice, type Price, type ToolRates } from './price.ts';
import {
  INPUT_KINDS,
  OUTPUT_KINDS,
  TOKEN_KINDS,
  type TokenKind,
  type TokenRates,
  times,
} from './rates.ts';
import { firstPrompt, type Usage } from './usage.ts';
import { type AppliedRates, appliedRates, marginalLimits, ratesFor } from './variants.ts';

export type ChargeKind = 'call' | TokenKind | keyof ToolRates;

export interface ChargeLine {
  readonly kind: ChargeKind;
  /** Tokens; for the kind `call` and for tools, the number of calls. */
  readonly tokens: number;
  /** Rate in USD per million tokens; for the kind `call` and for tools, of one call. */
  readonly usdEach: number;
  /** Exact decimal text, before rounding. */
  readonly units: string;
}

export interface Charge {
  /** Whole quota units. */
  readonly units: number;
  /** The same before rounding, as decimal text. */
  readonly exactUnits: string;
}

/**
 * The charge for the delivered usage. A per-call price is multiplied by `calls` regardless of
 * tokens (`calls` may be a factor like 0.45, see `imagePriceFactor`); a per-token price charges the
 * usage, and nothing if it is empty. Rounded once, half up, at least 1 unit unless the price is
 * free.
 */
export function chargeOf(
  price: Price,
  groupRatio: number,
  usage: Usage,
  quotaPerUnit: number,
  calls = 1,
  further: readonly FurtherUse[] = NO_FURTHER,
): Charge {
  const uses: RatedUse[] = [{ price, ratio: groupRatio, usage }];
  for (const use of further) uses.push({ price: use.price, ratio: groupRatio, usage: use.usage });
  const { total, units } = sumOf(uses, quotaPerUnit, calls);
  return { units, exactUnits: decimalText(total) };
}

function sumOf(
  uses: readonly RatedUse[],
  quotaPerUnit: number,
  calls: number,
): { readonly total: Rational; readonly units: number } {
  let total: Rational | undefined;
  let hasParts = false;
  for (const { price, ratio, usage } of uses) {
    const parts = partsOf(price, usage, calls);
    hasParts ||= parts.length > 0;
    const units = unitsOf(parts, unitFactors(price, ratio, quotaPerUnit));
    // Most calls have one use: sums of fractions are slow.
    total = total === undefined ? units : add(total, units);
  }
  if (total === undefined || !hasParts) return { total: ZERO, units: 0 };
  const free = uses.every(({ price, ratio }) => isFree(price, ratio));
  return { total, units: wholeUnits(total, free) };
}

/** What the units of `chargeOf` consist of; apart, because most charges are not shown. */
export function chargeLines(
  price: Price,
  groupRatio: number,
  usage: Usage,
  quotaPerUnit: number,
  calls = 1,
  further: readonly FurtherUse[] = NO_FURTHER,
): ChargeLine[] {
  const factors = unitFactors(price, groupRatio, quotaPerUnit);
  const parts = further.flatMap((use) => usedParts(use.price, use.usage));
  return withAlike([...partsOf(price, usage, calls), ...parts]).map((part) => ({
    kind: part.kind,
    tokens: Number(decimalText(part.count)),
    usdEach: part.usdEach,
    units: decimalText(unitsOf([part], factors)),
  }));
}

/** The units of the sum, each use with a ratio of its own. */
export function chargedUnits(
  uses: readonly RatedUse[],
  { quotaPerUnit, calls }: { readonly quotaPerUnit: number; readonly calls: number },
): number {
  return sumOf(uses, quotaPerUnit, calls).units;
}

export interface RatedUse {
  readonly price: Price;
  readonly ratio: number;
  readonly usage: Usage;
}

/** Parts of a kind at one rate are shown as one. */
function withAlike(parts: readonly Part[]): readonly Part[] {
  const sums = new Map<string, Part>();
  for (const part of parts) {
    const name = `${part.kind} ${part.usdEach}`;
    const { count } = sums.get(name) ?? { count: ZERO };
    sums.set(name, { ...part, count: add(count, part.count) });
  }
  return [...sums.values()];
}

function partsOf(price: Price, usage: Usage, calls: number): readonly Part[] {
  return price.kind === 'per_call' ? callParts(price.model_price, calls) : usedParts(price, usage);
}

interface Part {
  readonly kind: ChargeKind;
  readonly count: Rational;
  readonly usdEach: number;
  /** The amount is for a million. */
  readonly isPerMillion: boolean;
}

/** Tokens and the rest are summed apart, so that their sums stay small fractions. */
function unitsOf(parts: readonly Part[], { perUsd, perTokenRate }: UnitFactors): Rational {
  let tokens = ZERO;
  let others = ZERO;
  for (const { count, usdEach, isPerMillion } of parts) {
    const amount = multiply(count, rationalOf(usdEach));
    if (isPerMillion) tokens = add(tokens, amount);
    else others = add(others, amount);
  }
  const units = multiply(tokens, perTokenRate);
  return others === ZERO ? units : add(units, multiply(others, perUsd));
}

function callParts(usd: number, calls: number): readonly Part[] {
  const count = positiveCount(calls);
  return count === 0
    ? []
    : [{ kind: 'call', count: rationalOf(count), usdEach: usd, isPerMillion: false }];
}

type CountField = {
  [Field in keyof Usage]-?: Usage[Field] extends number ? Field : never;
}[keyof Usage];

/** The counts of a usage that are charged at the rate of a kind. */
const COUNTS_OF: Readonly<Record<TokenKind, readonly CountField[]>> = {
  input: ['input'],
  cache_read: ['cacheRead'],
  cache_write: ['cacheWrite', 'cacheWrite5m'],
  cache_write_1h: ['cacheWrite1h'],
  audio_input: ['audioInput'],
  image_input: ['imageInput'],
  output: ['output'],
  audio_output: ['audioOutput'],
  image_output: ['imageOutput'],
};

export const TOOLS = ['web_search', 'file_search', 'code_session'] as const;

const USES_OF: Readonly<Record<keyof ToolRates, CountField>> = {
  web_search: 'webSearches',
  file_search: 'fileSearches',
  code_session: 'codeSessions',
};

/** The kinds that were used: tokens by their rates, then tools. */
function usedParts(price: PerTokenPrice, usage: Usage): readonly Part[] {
  const parts: Part[] = [];
  for (const { rates, share, kinds } of segmentsOf(price, usage))
    for (const kind of kinds) {
      let tokens = 0;
      for (const field of COUNTS_OF[kind]) tokens += usage[field];
      if (tokens <= 0) continue;
      const count = share === ONE ? rationalOf(tokens) : multiply(rationalOf(tokens), share);
      parts.push({ kind, count, usdEach: rates[kind], isPerMillion: true });
    }
  for (const tool of TOOLS) {
    const uses = usage[USES_OF[tool]];
    if (uses > 0)
      parts.push({
        kind: tool,
        count: rationalOf(uses),
        usdEach: usdPerUse(price.tools, tool),
        isPerMillion: false,
      });
  }
  return parts;
}

/** Prices of tools are for 1,000 uses. */
export function usdPerUse(tools: ToolRates, tool: keyof ToolRates): number {
  return times(tools[tool], 0.001);
}

/** A part of a call whose tokens have the same rates. */
interface Segment {
  readonly rates: TokenRates;
  /** Share of the tokens of each kind. */
  readonly share: Rational;
  readonly kinds: readonly TokenKind[];
}

/** One for the whole call, unless the part of a prompt above a limit has rates of its own. */
function segmentsOf(price: PerTokenPrice, usage: Usage): readonly Segment[] {
  if (price.byAnswer === undefined) return [{ rates: price.rates, share: ONE, kinds: TOKEN_KINDS }];
  const promptTokens = firstPrompt(usage);
  const facts = { promptTokens, tier: usage.tier };
  const limits = marginalLimits(price).filter((limit) => limit < promptTokens);
  if (limits.length === 0)
    return [{ rates: ratesFor(price, facts), share: ONE, kinds: TOKEN_KINDS }];
  const prompt = [0, ...limits].map((partAbove, index): Segment => {
    const tokens = (limits[index] ?? promptTokens) - partAbove;
    const share = divide(rationalOf(tokens), rationalOf(promptTokens));
    return { rates: ratesFor(price, { ...facts, partAbove }), share, kinds: INPUT_KINDS };
  });
  return [...prompt, { rates: ratesFor(price, facts), share: ONE, kinds: OUTPUT_KINDS }];
}

/** The rates that a charge for this usage uses, and why they differ from those of a short prompt. */
export function usedRates(price: PerTokenPrice, usage: Usage): AppliedRates {
  return appliedRates(price, { promptTokens: firstPrompt(usage), tier: usage.tier });
}

/** The rates of the parts of a long prompt that have rates of their own. */
export function marginalRates(price: PerTokenPrice, usage: Usage): readonly RateVariant[] {
  const limits = marginalLimits(price);
  if (limits.length === 0) return [];
  const promptTokens = firstPrompt(usage);
  const facts = { promptTokens, tier: usage.tier };
  return limits
    .filter((limit) => limit < promptTokens)
    .map((limit) => ({
      when: { prompt_above: limit, is_marginal: true },
      rates: ratesFor(price, { ...facts, partAbove: limit }),
    }));
}

/** USD per 1,000 uses of each tool used. */
export function usedTools({ tools }: PerTokenPrice, usage: Usage): Partial<ToolRates> {
  const used: { -readonly [Tool in keyof ToolRates]?: number } = {};
  for (const tool of TOOLS) if (usage[USES_OF[tool]] > 0) used[tool] = tools[tool];
  return used;
}

export interface UnitFactors {
  /** Units per USD. */
  readonly perUsd: Rational;
  /** Units per token and USD per million tokens. */
  readonly perTokenRate: Rational;
}

interface KeptFactors extends UnitFactors {
  readonly groupRatio: number;
  readonly quotaPerUnit: number;
}

/** The last factors of each price: the same group usually requests the same model repeatedly. */
const kept = new WeakMap<Price, KeptFactors>();

const MILLIONTH: Rational = { num: 1n, den: 1_000_000n };

export function unitFactors(price: Price, groupRatio: number, quotaPerUnit: number): UnitFactors {
  const known = kept.get(price);
  if (known?.groupRatio === groupRatio && known.quotaPerUnit === quotaPerUnit) return known;
  const perUsd = multiply(rationalOf(groupRatio), rationalOf(quotaPerUnit));
  const factors = {
    groupRatio,
    quotaPerUnit,
    perUsd,
    perTokenRate: reduced(multiply(perUsd, MILLIONTH)),
  };
  kept.set(price, factors);
  return factors;
}

/** Whole units of an exact amount: at least 1 unless it is free. */
export function wholeUnits(exact: Rational, free: boolean): number {
  return free ? 0 : Math.max(1, roundHalfUp(exact));
}

/** Counts come from requests and upstreams: anything but a positive number counts as 0. */
export function positiveCount(value: number): number {
  return value > 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0;
}
