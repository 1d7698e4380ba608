import type { CSSProperties } from 'react';
import type { ChangeKind } from '../../../../src/domain/logs/log-types.ts';
import { changeText } from '../../../../src/domain/pricing/quota-text.ts';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { exactQuota, useQuotaStyle } from '../../lib/pricing/quota-format.ts';
import { useCellText } from '../../lib/text/cell-text.ts';

const STYLES: Readonly<Record<ChangeKind, CSSProperties | undefined>> = {
  charge: undefined,
  refund: { color: 'var(--tone-blue-text)' },
  credit: { color: 'var(--tone-green-text)' },
};

interface BalanceChangeProps {
  readonly kind: ChangeKind;
  /** With the sign that the balance sees. */
  readonly units: number;
  readonly isPrivate?: boolean;
  /** Shows the word as well, where no column names it. */
  readonly hasWord?: boolean;
}

/** What an entry did to the balance: sign and colour, and the word for screen readers and hover. */
export function BalanceChange({
  kind,
  units,
  isPrivate = false,
  hasWord = false,
}: BalanceChangeProps) {
  const t = useCellText();
  const style = useQuotaStyle();
  const isHidden = usePrivacy() && isPrivate;
  if (isHidden) return <span>•••</span>;
  const word = t(`part.change.${kind}`);
  return (
    <span style={STYLES[kind]} data-hint={`${word} · ${exactQuota(Math.abs(units), style)}`}>
      {hasWord && `${word} `}
      {changeText(units, style)}
    </span>
  );
}
