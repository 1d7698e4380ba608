/** Formats quota as the site shows it; the arithmetic is in `src/domain/pricing/quota-text.ts`. */
import { type QuotaStyle, quotaText, usdText } from '../../../../src/domain/pricing/quota-text.ts';
import { useSurroundings } from '../display/surroundings.ts';

/** The site's unit and whether it shows dollars. Follows the status. */
export function useQuotaStyle(): QuotaStyle {
  return useSurroundings().quotaStyle;
}

/** Formats `quota(1200)` as text; `fine` for costs of single calls. */
export function useQuotaText(): (units: number, fine?: boolean) => string {
  const style = useQuotaStyle();
  return (units, fine = false) => quotaText(units, { ...style, fine });
}

const WHOLE = new Intl.NumberFormat('en-US');

/** Both units, for tooltips: `1,234,500 · $2.469000`. */
export function exactQuota(units: number, { quotaPerUnit }: QuotaStyle): string {
  return `${WHOLE.format(units)} · $${usdText(units, quotaPerUnit, 6)}`;
}
