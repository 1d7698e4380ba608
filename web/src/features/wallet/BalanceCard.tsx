import { SimpleGrid, Stack, Text } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { OUTLOOK_DAYS } from '../../../../src/domain/balance-outlook.ts';
import { LOG_TYPE } from '../../../../src/domain/logs/log-types.ts';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import { EntriesLink } from '../../components/display/EntriesLink.tsx';
import { Figure } from '../../components/display/Figure.tsx';
import { QuotaText } from '../../components/display/QuotaText.tsx';
import { Loaded } from '../../components/layout/list-states.tsx';
import { TitledCard } from '../../components/layout/TitledCard.tsx';
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
    <TitledCard title={t('wallet.balance')}>
      <Loaded query={query}>
        {({ quota, used_quota, request_count }) => (
          <Stack gap="sm">
            <Text fz={28} fw={600} lh={1.2} component="div">
              <QuotaText units={quota} isPrivate />
            </Text>
            <SimpleGrid cols={2} spacing="sm">
              <Figure fw={500} label={t('wallet.used')}>
                <EntriesLink user={user}>
                  <QuotaText units={used_quota} isPrivate />
                </EntriesLink>
              </Figure>
              <Figure fw={500} label={t('wallet.requests')}>
                <EntriesLink user={user} type={String(LOG_TYPE.consume)}>
                  {numberText(request_count)}
                </EntriesLink>
              </Figure>
              <SpendingPace user={user} />
            </SimpleGrid>
          </Stack>
        )}
      </Loaded>
    </TitledCard>
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
  if (outlook === undefined)
    return (
      <Figure fw={500} label={title}>
        {'\u00a0'}
      </Figure>
    );
  const { days_left: days, since, spent } = outlook;
  return (
    <>
      <Figure fw={500} label={title}>
        <EntriesLink user={user} from={String(since)}>
          <QuotaText units={spent} isPrivate />
        </EntriesLink>
      </Figure>
      {days !== null && (
        <Figure fw={500} label={t('wallet.lasts')}>
          {days > MAX_DAYS
            ? t('wallet.overDays', { count: MAX_DAYS })
            : t('wallet.days', { count: days })}
        </Figure>
      )}
    </>
  );
}

/** Longer estimates are capped. */
const MAX_DAYS = 999;
