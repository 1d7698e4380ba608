import { Loader, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { problemText } from '../../components/forms/call-problem.ts';
import { walletKeys } from '../../lib/api/query-keys.ts';
import { wallet } from './calls.ts';
import classes from './TopUp.module.css';

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
        <Text c="var(--mantine-color-error)" role="alert">
          {t('wallet.topUp.amountFailed', { reason })}
        </Text>
      ) : (
        <>
          {!isBare && <Dimmed size="sm">{t('wallet.topUp.payable')}</Dimmed>}
          {isPending ? (
            <Loader size="xs" aria-label={t('part.loading')} />
          ) : (
            <Text size="md" fz={18} fw={600}>
              {money === undefined ? '-' : `¥${money}`}
            </Text>
          )}
        </>
      )}
    </div>
  );
}

const PAUSE_MS = 400;

interface PayableQuery {
  readonly amount: number;
  readonly code: string;
  readonly isOn: boolean;
}

export interface PayableState {
  /** Formatted price; undefined while unknown. */
  readonly money: string | undefined;
  readonly isPending: boolean;
  /** The gateway's reason, or '' if it gave none. */
  readonly problem: string | undefined;
  readonly error: unknown;
}

/** The price of an amount, fetched when typing stops; responses for older amounts are ignored. */
export function usePayable({ amount, code, isOn }: PayableQuery): PayableState {
  const [settled] = useDebouncedValue(`${amount} ${code.trim()}`, PAUSE_MS);
  const isSettled = settled === `${amount} ${code.trim()}`;
  const order = { amount, top_up_code: code.trim() };
  const query = useQuery({
    queryKey: walletKeys.part('amount', order),
    queryFn: ({ signal }) => wallet.amount(order, { signal }),
    enabled: isOn && isSettled,
    retry: false,
  });
  const isGood = query.data?.message === 'success';
  return {
    money: isOn && isGood ? query.data?.data : undefined,
    isPending: isOn && (!isSettled || query.isFetching) && query.data === undefined,
    problem: isOn && query.data !== undefined && !isGood ? query.data.data : undefined,
    error: isOn ? query.error : null,
  };
}
