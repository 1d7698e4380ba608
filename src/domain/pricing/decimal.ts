/**
 * Exact arithmetic for money: fractions of two BigInts, so that no price is multiplied in floating
 * point. Used by pricing only; all other code uses whole quota units.
 */

/** A rational number; `den` is always positive. Not reduced: a charge takes few operations. */
export interface Rational {
  readonly num: bigint;
  readonly den: bigint;
}

export const ZERO: Rational = { num: 0n, den: 1n };
export const ONE: Rational = { num: 1n, den: 1n };

/** A number with this many digits or more is treated as a computed quotient. */
const QUOTIENT_DIGITS = 15;
/** Two fractions with denominators up to this never share a double, so the quotient is unique. */
const MAX_DENOMINATOR = 100_000;

/**
 * The number that was meant: 0.1 is one tenth, not the nearest double, and 4 / 3 (which arrives as
 * 1.3333333333333333) is four thirds. Throws RangeError for NaN and infinities.
 */
export function rationalOf(value: number): Rational {
  if (Number.isSafeInteger(value)) return { num: BigInt(value), den: 1n };
  const known = recent.get(value);
  if (known !== undefined) return known;
  const read = readDecimal(value);
  if (recent.size >= MAX_RECENT) recent.clear();
  recent.set(value, read);
  return read;
}

/** Prices repeat on every call, so the few hundred ratios in use are cached. */
const recent = new Map<number, Rational>();
const MAX_RECENT = 2_000;

function readDecimal(value: number): Rational {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!match) throw new RangeError(`not a number: ${value}`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const quotient = digits.length >= QUOTIENT_DIGITS ? quotientOf(Math.abs(value)) : undefined;
  const size = quotient ?? shifted(BigInt(digits || '0'), Number(exponent) - fraction.length);
  return sign === '-' ? { num: -size.num, den: size.den } : size;
}

function shifted(digits: bigint, power: number): Rational {
  return power >= 0
    ? { num: digits * 10n ** BigInt(power), den: 1n }
    : { num: digits, den: 10n ** BigInt(-power) };
}

/** The simplest fraction whose double is `value` (continued fraction), if small enough. */
function quotientOf(value: number): Rational | undefined {
  let [numBefore, num, denBefore, den] = [0, 1, 1, 0];
  let rest = value;
  while (Number.isFinite(rest)) {
    const whole = Math.floor(rest);
    [numBefore, num] = [num, whole * num + numBefore];
    [denBefore, den] = [den, whole * den + denBefore];
    if (den > MAX_DENOMINATOR || !Number.isSafeInteger(num)) return undefined;
    if (num / den === value) return { num: BigInt(num), den: BigInt(den) };
    rest = 1 / (rest - whole);
  }
  return undefined;
}

export function add(left: Rational, right: Rational): Rational {
  if (left.den === right.den) return { num: left.num + right.num, den: left.den };
  return { num: left.num * right.den + right.num * left.den, den: left.den * right.den };
}

/** The product of all factors. */
export function multiply(first: Rational, ...others: readonly Rational[]): Rational {
  let { num, den } = first;
  for (const factor of others) {
    num *= factor.num;
    den *= factor.den;
  }
  return { num, den };
}

/** In lowest terms, for a factor that is used again and again. */
export function reduced({ num, den }: Rational): Rational {
  let [large, small] = [num < 0n ? -num : num, den];
  while (small !== 0n) [large, small] = [small, large % small];
  return { num: num / large, den: den / large };
}

/** Throws RangeError when `right` is zero; a zero denominator would only fail later. */
export function divide(left: Rational, right: Rational): Rational {
  if (right.num === 0n) throw new RangeError('division by zero');
  const sign = right.num < 0n ? -1n : 1n;
  return { num: left.num * right.den * sign, den: left.den * right.num * sign };
}

/**
 * The nearest whole number, halves away from zero. Values past 2^53 - 1 are clamped to it: no
 * balance is that large, and a rounded value would be silently wrong.
 */
export function roundHalfUp(value: Rational): number {
  const size = value.num < 0n ? -value.num : value.num;
  const rounded = (2n * size + value.den) / (2n * value.den);
  const held =
    rounded > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(rounded);
  return value.num < 0n && held > 0 ? -held : held;
}

/** Decimal text without trailing zeros; beyond `places` (quotients like 4/3) rounded half up. */
export function decimalText(value: Rational, places = 12): string {
  const size = value.num < 0n ? -value.num : value.num;
  const scaled = (2n * size * 10n ** BigInt(places) + value.den) / (2n * value.den);
  const digits = String(scaled).padStart(places + 1, '0');
  const cut = digits.length - places;
  const fraction = digits.slice(cut).replace(/0+$/, '');
  const text = fraction === '' ? digits.slice(0, cut) : `${digits.slice(0, cut)}.${fraction}`;
  return value.num < 0n && scaled > 0n ? `-${text}` : text;
}

/** The nearest double; `rationalOf` recovers the fraction for every quotient of prices. */
export function nearestNumber(value: Rational): number {
  return isInteger(value) ? Number(value.num / value.den) : Number(decimalText(value, 25));
}

function isInteger(value: Rational): boolean {
  return value.num % value.den === 0n;
}
