import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { OUTLOOK_DAYS } from '../../../../src/domain/balance-outlook.ts';
import { LOG_TYPE } from '../../../../src/domain/logs/log-types.ts';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import { EntriesLink } from '../../components/display/EntriesLink.tsx';
import { QuotaText } from '../../components/display/QuotaText.tsx';
import { Loaded } from '../../components/layout/list-states.tsx';
import { outlookQuery } from '../../lib/api/outlook.ts';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { useUser } from '../../lib/session/session.ts';

interface Balance {
  readonly quota: number;
  readonly used_quota: number;
  readonly request_count: number;
}

export function BalanceCard({ query }: { readonly query: UseQueryResult<Balance> }) {
  const { t } = useTranslation();
  const user = useUser()?.username ?? '';
  return (
    <Card component="section" aria-label={t('wallet.balance')}>
      <Title order={2} fz={14} mb="xs">
        {t('wallet.balance')}
      </Title>
      <Loaded query={query}>
        {({ quota, used_quota, request_count }) => (
          <Stack gap="sm">
            <Text fz={28} fw={600} lh={1.2} component="div">
              <QuotaText units={quota} isPrivate />
            </Text>
            <SimpleGrid cols={2} spacing="sm">
              <Fact title={t('wallet.used')}>
                <EntriesLink user={user}>
                  <QuotaText units={used_quota} isPrivate />
                </EntriesLink>
              </Fact>
              <Fact title={t('wallet.requests')}>
                <EntriesLink user={user} type={String(LOG_TYPE.consume)}>
                  {numberText(request_count)}
                </EntriesLink>
              </Fact>
              <SpendingPace user={user} />
            </SimpleGrid>
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

/** The recent spending and how many days the balance lasts; hidden by the privacy switch. */
function SpendingPace({ user }: { readonly user: string }) {
  const { t } = useTranslation();
  const isPrivate = usePrivacy();
  const { data: outlook } = useQuery(outlookQuery(useUser()?.id ?? 0));
  if (isPrivate) return null;
  const title = t('wallet.spentLately', { days: OUTLOOK_DAYS });
  // Keeps its place, so that what is below does not move.
  if (outlook === undefined) return <Fact title={title}>{'\u00a0'}</Fact>;
  const { days_left: days, since, spent } = outlook;
  return (
    <>
      <Fact title={title}>
        <EntriesLink user={user} from={String(since)}>
          <QuotaText units={spent} isPrivate />
        </EntriesLink>
      </Fact>
      {days !== null && (
        <Fact title={t('wallet.lasts')}>
          {days > MAX_DAYS
            ? t('wallet.overDays', { count: MAX_DAYS })
            : t('wallet.days', { count: days })}
        </Fact>
      )}
    </>
  );
}

/** Longer estimates are capped. */
const MAX_DAYS = 999;

function Fact({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <Text component="div" fw={500}>
        {children}
      </Text>
    </div>
  );
}
