/** Formats quota as the site shows it; the arithmetic is in `src/domain/pricing/quota-text.ts`. */
import {
  axisQuotaText,
  type QuotaStyle,
  quotaText,
  usdText,
} from '../../../../src/domain/pricing/quota-text.ts';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import { useDisplaySettings } from '../display/display-settings.ts';

/** The site's unit and whether it shows dollars. Follows the status. */
export function useQuotaStyle(): QuotaStyle {
  return useDisplaySettings().quotaStyle;
}

/** Formats `quota(1200)` as text. */
export function useQuotaText(): (units: number) => string {
  const style = useQuotaStyle();
  return (units) => quotaText(units, style);
}

/** Formats the amounts of a chart. */
export function useAxisQuotaText(): (units: number, largest: number) => string {
  const style = useQuotaStyle();
  return (units, largest) => axisQuotaText(units, largest, style);
}

/** Both units, for tooltips: `1,234,500 · $2.469000`. */
export function exactQuota(units: number, { quotaPerUnit }: QuotaStyle): string {
  return `${numberText(units)} · $${usdText(units, quotaPerUnit, 6)}`;
}
