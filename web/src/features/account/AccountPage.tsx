import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { useUser } from '../../lib/session/session.ts';
import { useStatus } from '../../lib/site/status.ts';
import { AccountCard } from './AccountCard.tsx';
import { selfReading } from './calls.ts';
import { CheckInCard } from './check-in/CheckInCard.tsx';
import { InviteCard } from './invites/InviteCard.tsx';
import { ModelsCard } from './ModelsCard.tsx';
import { SettingsTabs } from './SettingsTabs.tsx';

/** The user's account: balance, models and own settings. */
export function AccountPage() {
  const { t } = useTranslation();
  const status = useStatus();
  const query = useQuery(selfReading(useUser()?.id ?? 0));
  return (
    <>
      <PageHeader title={t('account.title')} hint={t('account.hint')} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: 'start' }}>
        <Stack gap="md" miw={0}>
          <AccountCard query={query} />
          <ModelsCard />
          {status?.check_in_enabled === true && <CheckInCard />}
          {status?.aff_enabled === true && <InviteCard self={query.data} />}
        </Stack>
        <SettingsTabs query={query} />
      </SimpleGrid>
    </>
  );
}
