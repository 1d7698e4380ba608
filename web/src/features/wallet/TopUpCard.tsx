import { Card, Title } from '@mantine/core';
import { IconCreditCardOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '../../components/layout/list-states.tsx';
import { useStatus } from '../../lib/site/status.ts';
import { CreditedDialog } from './CreditedDialog.tsx';
import type { Credited } from './credited.ts';
import { TopUpForm } from './TopUpForm.tsx';
import { usePaymentWatch } from './usePaymentWatch.ts';
import { WaitingNotice } from './WaitingNotice.tsx';

interface TopUpCardProps {
  /** Units; undefined while loading. */
  readonly balance: number | undefined;
  readonly refetch: () => unknown;
}

/** Online payment, if the site accepts it. */
export function TopUpCard({ balance, refetch }: TopUpCardProps) {
  const { t } = useTranslation();
  const status = useStatus();
  const [credited, setCredited] = useState<Credited | undefined>(undefined);
  const watch = usePaymentWatch({
    balance,
    refetch,
    onCredited: (quota) => setCredited({ quota, by: 'payment' }),
  });
  return (
    <Card component="section" aria-label={t('wallet.topUp.title')}>
      <Title order={2} fz={14} mb="xs">
        {t('wallet.topUp.title')}
      </Title>
      {status?.enable_online_topup === true && <TopUpForm rules={status} onPaying={watch.start} />}
      {status?.enable_online_topup === false && (
        <Empty icon={<IconCreditCardOff size={36} />} title={t('wallet.topUp.off')} />
      )}
      {watch.isWaiting && <WaitingNotice onStop={watch.stop} />}
      <CreditedDialog credited={credited} onClose={() => setCredited(undefined)} />
    </Card>
  );
}
