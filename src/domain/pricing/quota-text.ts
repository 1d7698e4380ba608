/**
 * Formats quota for display. Amounts are integers of quota units below 2^53; all rounding here is
 * exact and half away from zero, because 1.005 has no exact binary form but must still show as
 * $1.01.
 */
import { numberText } from '../text/number-text.ts';

export const QUOTA_PER_UNIT = 500_000;

export interface QuotaStyle {
  /** `true`: dollars; `false`: the number of units. Option `DisplayInCurrencyEnabled`. */
  readonly currency: boolean;
  /** Units per dollar. Option `QuotaPerUnit`. */
  readonly quotaPerUnit: number;
}

/** Used from 10,000 on; each scale applies until it would show 1000.0. */
const SCALES = [
  { letter: 'k', size: 1_000n },
  { letter: 'M', size: 1_000_000n },
  { letter: 'B', size: 1_000_000_000n },
] as const;

/**
 * `$1,234.50`, `-$1.20`; below a cent two significant digits, `$0.0033`, because `$0.00` would hide
 * a small cost; as a count `9,999`, `12.3k`, `4.5M`, `1.0B`.
 */
export function quotaText(units: number, { currency, quotaPerUnit }: QuotaStyle): string {
  if (!currency) return countText(units);
  const decimals = decimalsOf(usdOf(Math.abs(units), quotaPerUnit));
  const text = usdText(units, quotaPerUnit, decimals);
  return signedUsd(decimals > CENT_DECIMALS ? text.replace(/0+$/, '') : text);
}

/** On the axis of a chart, whose steps are about a quarter of its largest amount. */
export function axisQuotaText(units: number, largest: number, style: QuotaStyle): string {
  if (!style.currency) return countText(units);
  const { quotaPerUnit } = style;
  const step = usdOf(largest, quotaPerUnit) / 4;
  const decimals = Math.max(CENT_DECIMALS, step > 0 ? significantDecimals(step) : 0);
  return signedUsd(usdText(units, quotaPerUnit, decimals).replace(/(\.\d\d\d*?)0+$/, '$1'));
}

/** With its sign, also when it is added: `+$5.00`. Zero has none. */
export function changeText(units: number, style: QuotaStyle): string {
  return units > 0 ? `+${quotaText(units, style)}` : quotaText(units, style);
}

const CENT_DECIMALS = 2;
const MAX_DECIMALS = 12;

function decimalsOf(usd: number): number {
  if (!(usd > 0 && usd < 0.01)) return CENT_DECIMALS;
  return significantDecimals(usd);
}

/** Of two significant digits. */
function significantDecimals(usd: number): number {
  return Math.min(1 - Math.floor(Math.log10(usd)), MAX_DECIMALS);
}

const PRICE = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: CENT_DECIMALS,
  maximumFractionDigits: 9,
});

/** A rate, or a part of a charge before it is rounded to units, in full: `$2.50`, `$0.00024`. */
export function priceText(usd: number): string {
  const text = PRICE.format(Math.abs(usd));
  return usd < 0 && text !== '0.00' ? `-$${text}` : `$${text}`;
}

function signedUsd(text: string): string {
  return text.startsWith('-') ? `-$${grouped(text.slice(1))}` : `$${grouped(text)}`;
}

function grouped(decimal: string): string {
  const [whole = '', ...decimals] = decimal.split('.');
  return [numberText(BigInt(whole)), ...decimals].join('.');
}

/** Dollars as a number, for JSON and charts; use `quotaText` for display. */
export function usdOf(units: number, quotaPerUnit: number = QUOTA_PER_UNIT): number {
  return units / quotaPerUnit;
}

/** Dollars with exactly `decimals` decimals, without a currency sign. Zero has no minus sign. */
export function usdText(units: number, quotaPerUnit: number, decimals: number): string {
  const per = fractionOf(quotaPerUnit);
  const scaled = divideHalfUp(
    BigInt(Math.trunc(units)) * per.den * 10n ** BigInt(decimals),
    per.num,
  );
  return placePoint(scaled, decimals);
}

/**
 * Parses dollars entered by a user into units: `12`, `0.5`, `.5`, `$12.34`, `-3`. `undefined` for
 * anything else, and for amounts beyond 2^53 units.
 */
export function unitsOfUsd(
  text: string,
  quotaPerUnit: number = QUOTA_PER_UNIT,
): number | undefined {
  const parts = /^([+-]?)\$?(\d{0,20})(?:\.(\d{0,20}))?$/.exec(text.trim());
  const [, sign = '', whole = '', decimals = ''] = parts ?? [];
  if (whole === '' && decimals === '') return undefined;
  const per = fractionOf(quotaPerUnit);
  const usd = BigInt(`${whole}${decimals}`);
  const units = Number(divideHalfUp(usd * per.num, per.den * 10n ** BigInt(decimals.length)));
  if (!Number.isSafeInteger(units)) return undefined;
  return sign === '-' && units !== 0 ? -units : units;
}

/** A count short enough for a card: `2,699`, from 10,000 on `12.3k`; 999,950 is 1.0M, not 1000.0k. */
export function countText(count: number): string {
  const whole = BigInt(Math.trunc(count));
  const size = whole < 0n ? -whole : whole;
  const sign = whole < 0n ? '-' : '';
  if (size < 10_000n) return numberText(whole);
  const tenths = SCALES.map((scale) => divideHalfUp(size * 10n, scale.size));
  const fits = tenths.findIndex((value) => value < 10_000n);
  const index = fits < 0 ? SCALES.length - 1 : fits;
  return `${sign}${placePoint(tenths[index] ?? 0n, 1)}${SCALES[index]?.letter ?? ''}`;
}

interface Fraction {
  readonly num: bigint;
  readonly den: bigint;
}

/**
 * A unit as the exact fraction of its shortest decimal text, e.g. 7.3 is 73/10. Browsers keep the
 * unit in local storage, so an invalid value yields the default.
 */
function fractionOf(unit: number): Fraction {
  if (last?.unit !== unit) last = { unit, fraction: exactFraction(unit) };
  return last.fraction;
}

/** A site has one unit, which pages with amounts use repeatedly. */
let last: { readonly unit: number; readonly fraction: Fraction } | undefined;

function exactFraction(unit: number): Fraction {
  const usable = Number.isFinite(unit) && unit > 0 ? unit : QUOTA_PER_UNIT;
  const [mantissa = '0', exponent = '0'] = String(usable).split('e');
  const [whole = '0', decimals = ''] = mantissa.split('.');
  const shift = Number(exponent) - decimals.length;
  const num = BigInt(whole + decimals);
  return shift >= 0
    ? { num: num * 10n ** BigInt(shift), den: 1n }
    : { num, den: 10n ** BigInt(-shift) };
}

function divideHalfUp(num: bigint, den: bigint): bigint {
  const size = num < 0n ? -num : num;
  const rounded = (2n * size + den) / (2n * den);
  return num < 0n ? -rounded : rounded;
}

function placePoint(scaled: bigint, decimals: number): string {
  if (decimals === 0) return scaled.toString();
  const sign = scaled < 0n ? '-' : '';
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(decimals + 1, '0');
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
