/** The error of a balance that is too low: amounts in dollars, then units. */
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { priceText, quotaText, usdOf } from '../../domain/pricing/quota-text.ts';

/** Units that were needed, and what is neither spent nor held. */
export interface Shortage {
  readonly needed: number;
  readonly left: number;
}

export function quotaShort(
  ctx: Pick<Context, 'options'>,
  code: 'quota_short' | 'token_quota_short',
  { needed, left }: Shortage,
): AppError {
  const [neededAmount, leftAmount] = amountsOf(needed, left, ctx.options().get('QuotaPerUnit'));
  return new AppError(code, {
    needed,
    left,
    needed_count: shortCount(needed),
    left_count: shortCount(left),
    needed_amount: neededAmount,
    left_amount: leftAmount,
  });
}

/** In full where both would look the same. */
function amountsOf(needed: number, left: number, quotaPerUnit: number): readonly [string, string] {
  const style = { currency: true, quotaPerUnit };
  const texts = [quotaText(needed, style), quotaText(left, style)] as const;
  if (texts[0] !== texts[1]) return texts;
  return [priceText(usdOf(needed, quotaPerUnit)), priceText(usdOf(left, quotaPerUnit))];
}

/**
 * `0.50M`: never three digits in a row, because opencode repeats a call whose error contains 500,
 * 429 and the like anywhere.
 */
export function shortCount(units: number): string {
  const size = Math.abs(units);
  const scale = SCALES.find(({ below }) => size < below) ?? { size: 1e9, letter: 'B' };
  return scale.letter === '' ? String(units) : `${(units / scale.size).toFixed(2)}${scale.letter}`;
}

const SCALES = [
  { below: 100, size: 1, letter: '' },
  { below: 99_995, size: 1e3, letter: 'k' },
  { below: 99_995_000, size: 1e6, letter: 'M' },
] as const;
