/** Formats prices so that their decimal points align. */
import { priceText } from '../../../../src/domain/pricing/quota-text.ts';

export interface MoneyStyle {
  readonly currency: 'usd' | 'quota';
  readonly quotaPerUnit: number;
}

/** The number of tokens a price refers to. */
const TOKENS_PER = { '1M': 1_000_000, '1K': 1_000 } as const;
export type TokenUnit = keyof typeof TOKENS_PER;

/** `$2.50`, `$0.0375`; as quota `1,250,000`, `18.75`. */
export function figureText(usd: number, { currency, quotaPerUnit }: MoneyStyle): string {
  if (currency === 'quota') {
    return (usd * quotaPerUnit).toLocaleString('en-US', { maximumFractionDigits: 4 });
  }
  return priceText(usd);
}

export function tokenFigure(usdPerMillion: number, per: TokenUnit, style: MoneyStyle): string {
  return figureText((usdPerMillion * TOKENS_PER[per]) / TOKENS_PER['1M'], style);
}

export function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

/** Spaces as wide as a digit and a decimal point. */
const FIGURE_SPACE = '\u2007';
const POINT_SPACE = '\u2008';

/** Pads a price on the right, with spaces as wide as the missing decimals. */
export function padDecimals(text: string, decimals: number): string {
  const own = decimalsOf(text);
  if (own >= decimals) return text;
  return `${text}${own === 0 ? POINT_SPACE : ''}${FIGURE_SPACE.repeat(decimals - own)}`;
}
