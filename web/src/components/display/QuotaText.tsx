import { quotaText } from '../../../../src/domain/pricing/quota-text.ts';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { exactQuota, useQuotaStyle } from '../../lib/pricing/quota-format.ts';

interface QuotaTextProps {
  /** Quota units. */
  readonly units: number;
  /** For costs of single calls: up to 6 decimals. */
  readonly isFine?: boolean;
  /** Hidden by the privacy switch: balances, not prices. */
  readonly isPrivate?: boolean;
}

/** An amount in the site's display unit; the tooltip has the units and the dollars. */
export function QuotaText({ units, isFine = false, isPrivate = false }: QuotaTextProps) {
  const style = useQuotaStyle();
  const isHidden = usePrivacy() && isPrivate;
  if (isHidden) return <span>•••</span>;
  return (
    <span data-hint={exactQuota(units, style)}>{quotaText(units, { ...style, fine: isFine })}</span>
  );
}
