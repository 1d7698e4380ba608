/** Formats quota as the site shows it; the arithmetic is in `src/domain/pricing/quota-text.ts`. */
import { type QuotaStyle, quotaText, usdText } from '../../../../src/domain/pricing/quota-text.ts';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import { useDisplaySettings } from '../display/display-settings.ts';

/** The site's unit and whether it shows dollars. Follows the status. */
export function useQuotaStyle(): QuotaStyle {
  return useDisplaySettings().quotaStyle;
}

/** Formats `quota(1200)` as text; `fine` for costs of single calls. */
export function useQuotaText(): (units: number, fine?: boolean) => string {
  const style = useQuotaStyle();
  return (units, fine = false) => quotaText(units, { ...style, fine });
}

/** Both units, for tooltips: `1,234,500 · $2.469000`. */
export function exactQuota(units: number, { quotaPerUnit }: QuotaStyle): string {
  return `${numberText(units)} · $${usdText(units, quotaPerUnit, 6)}`;
}

const MAX_DECIMALS = 8;

/** Dollars of single calls and tokens, far below a cent: `$0.00024`, `-$1.5`. */
export function usdFine(usd: number): string {
  const text = Math.abs(usd)
    .toFixed(MAX_DECIMALS)
    .replace(/\.?0+$/, '');
  return usd < 0 && text !== '0' ? `-$${text}` : `$${text}`;
}
