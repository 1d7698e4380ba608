import { balanceChangeOf } from '../../../../src/domain/logs/log-types.ts';
import { changeText } from '../../../../src/domain/pricing/quota-text.ts';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { exactQuota, useQuotaStyle } from '../../lib/pricing/quota-format.ts';
import { useCellText } from '../../lib/text/cell-text.ts';
import classes from './BalanceChange.module.css';

interface BalanceChangeProps {
  /** Type of the log entry. */
  readonly type: number;
  /** Its amount, as stored. */
  readonly quota: number;
  readonly isPrivate?: boolean;
}

/** What an entry did to the balance: sign and colour, and the word for screen readers and hover. */
export function BalanceChange({ type, quota, isPrivate = false }: BalanceChangeProps) {
  const t = useCellText();
  const style = useQuotaStyle();
  const isHidden = usePrivacy() && isPrivate;
  if (isHidden) return <span>•••</span>;
  const { kind, units } = balanceChangeOf(type, quota);
  const word = t(`part.change.${kind}`);
  return (
    <span
      className={classes.change}
      data-kind={kind}
      data-hint={`${word} · ${exactQuota(Math.abs(units), style)}`}
    >
      {changeText(units, style)}
    </span>
  );
}
