import { Loader, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { problemText } from '../../components/forms/call-problem.ts';
import classes from './TopUp.module.css';
import type { PayableState } from './usePayable.ts';

interface PayableProps {
  readonly payable: PayableState;
  /** The label is already next to it. */
  readonly isBare?: boolean;
}

export function Payable({ payable, isBare = false }: PayableProps) {
  const { t } = useTranslation();
  const { money, isPending, problem, error } = payable;
  const reason = error ? problemText(t, error) : problem;
  return (
    <div className={classes.payable} aria-live="polite">
      {reason !== undefined && !isPending ? (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {t('wallet.topUp.amountFailed', { reason })}
        </Text>
      ) : (
        <>
          {!isBare && (
            <Text size="sm" c="dimmed">
              {t('wallet.topUp.payable')}
            </Text>
          )}
          {isPending ? (
            <Loader size="xs" aria-label={t('part.loading')} />
          ) : (
            <Text fz={18} fw={600}>
              {money === undefined ? '-' : `¥${money}`}
            </Text>
          )}
        </>
      )}
    </div>
  );
}
