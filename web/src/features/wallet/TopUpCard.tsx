import { Box } from '@mantine/core';
import { IconCreditCardOff } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../components/display/Notice.tsx';
import { SideButton } from '../../components/display/SideButton.tsx';
import { Empty } from '../../components/layout/list-states.tsx';
import { TitledCard } from '../../components/layout/TitledCard.tsx';
import { walletKeys } from '../../lib/api/query-keys.ts';
import { useStatus } from '../../lib/site/status.ts';
import { type Credit, CreditedDialog } from './CreditedDialog.tsx';
import { TopUpForm } from './TopUpForm.tsx';

interface TopUpCardProps {
  /** Units; undefined while loading. */
  readonly balance: number | undefined;
  readonly refetch: () => unknown;
}

/** Online payment, if the site accepts it. */
export function TopUpCard({ balance, refetch }: TopUpCardProps) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const status = useStatus();
  const [credited, setCredited] = useState<Credit | undefined>(undefined);
  const watch = usePaymentWatch({
    balance,
    refetch,
    onCredited: (quota) => {
      void cache.invalidateQueries({ queryKey: walletKeys.all });
      setCredited({ quota, by: 'payment' });
    },
  });
  return (
    <TitledCard title={t('wallet.topUp.title')}>
      {status?.enable_online_topup === true && <TopUpForm rules={status} onPaying={watch.start} />}
      {status?.enable_online_topup === false && (
        <Empty icon={<IconCreditCardOff size={36} />} title={t('wallet.topUp.off')} />
      )}
      {watch.isWaiting && <WaitingNotice onStop={watch.stop} />}
      <CreditedDialog credited={credited} onClose={() => setCredited(undefined)} />
    </TitledCard>
  );
}

function WaitingNotice({ onStop }: { readonly onStop: () => void }) {
  const { t } = useTranslation();
  return (
    <Box mt="sm" aria-live="polite">
      <Notice
        tone="blue"
        action={
          <SideButton size="compact-sm" label={t('wallet.topUp.stopWaiting')} onClick={onStop} />
        }
      >
        {t('wallet.topUp.waiting')}
      </Notice>
    </Box>
  );
}

const EVERY_MS = 5_000;
const AT_MOST_MS = 600_000;

interface Watched {
  /** Units, as last fetched. */
  readonly balance: number | undefined;
  readonly refetch: () => unknown;
  /** Called with the added units. */
  readonly onCredited: (units: number) => void;
}

/** After a payment was started: polls the balance for ten minutes, until it grows. */
function usePaymentWatch({ balance, refetch, onCredited }: Watched) {
  const [isWaiting, setWaiting] = useState(false);
  const last = useRef(balance);
  const look = useEffectEvent(() => void refetch());
  const compare = useEffectEvent(() => {
    const before = last.current;
    last.current = balance;
    if (!isWaiting || balance === undefined || before === undefined || balance <= before) return;
    setWaiting(false);
    onCredited(balance - before);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on every new balance
  useEffect(() => compare(), [balance]);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => {
      if (!document.hidden) look();
    }, EVERY_MS);
    const end = setTimeout(() => setWaiting(false), AT_MOST_MS);
    // The payment was in another tab, so it is most likely complete when the user returns.
    window.addEventListener('focus', look);
    return () => {
      clearInterval(timer);
      clearTimeout(end);
      window.removeEventListener('focus', look);
    };
  }, [isWaiting]);
  return { isWaiting, start: () => setWaiting(true), stop: () => setWaiting(false) };
}
