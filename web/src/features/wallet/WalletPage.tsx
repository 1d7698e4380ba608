import { Card, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Budgets } from '../../components/budgets/Budgets.tsx';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { selfQuery } from '../../lib/api/account.ts';
import { useUser } from '../../lib/session/session.ts';
import { BalanceCard } from './BalanceCard.tsx';
import { HistoryCard } from './HistoryCard.tsx';
import { RedeemCard } from './RedeemCard.tsx';
import { TopUpCard } from './TopUpCard.tsx';

/** The balance and the ways to top it up. */
export function WalletPage() {
  const { t } = useTranslation();
  const userId = useUser()?.id ?? 0;
  const query = useQuery(selfQuery(userId));
  return (
    <>
      <div data-screen-only>
        <PageHeader title={t('wallet.title')} hint={t('wallet.hint')} />
      </div>
      <Stack gap="md">
        <SimpleGrid data-screen-only cols={{ base: 1, md: 3 }} spacing="md">
          <BalanceCard query={query} />
          <RedeemCard />
          <TopUpCard balance={query.data?.quota} refetch={query.refetch} />
        </SimpleGrid>
        <Card>
          <Budgets subject="user" subjectId={String(userId)} />
        </Card>
        <HistoryCard />
      </Stack>
    </>
  );
}
