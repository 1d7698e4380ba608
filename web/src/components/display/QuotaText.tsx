import { quotaText } from '../../../../src/domain/pricing/quota-text.ts';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { exactQuota, useQuotaStyle } from '../../lib/pricing/quota-format.ts';

interface QuotaTextProps {
  /** Quota units. */
  readonly units: number;
  /** Hidden by the privacy switch: balances, not prices. */
  readonly isPrivate?: boolean;
}

/** An amount in the site's display unit; the tooltip has the units and the dollars. */
export function QuotaText({ units, isPrivate = false }: QuotaTextProps) {
  const style = useQuotaStyle();
  const isHidden = usePrivacy() && isPrivate;
  if (isHidden) return <span>•••</span>;
  return <span data-hint={exactQuota(units, style)}>{quotaText(units, style)}</span>;
}
