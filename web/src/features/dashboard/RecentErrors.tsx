import { Anchor, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { LOG_TYPE } from '../../../../src/domain/logs/log-types.ts';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { RelativeTime } from '../../components/display/RelativeTime.tsx';
import { Loaded } from '../../components/layout/list-states.tsx';
import { TitledCard } from '../../components/layout/TitledCard.tsx';
import { dashboardKeys } from '../../lib/api/query-keys.ts';
import { readErrors } from './calls.ts';
import { type DashboardQuery, logAddress } from './range.ts';

interface RecentErrorsProps {
  readonly filter: DashboardQuery;
  readonly refetchMs: number | false;
}

/** The latest failed attempts; each links to the log. */
export function RecentErrors({ filter, refetchMs }: RecentErrorsProps) {
  const { t } = useTranslation();
  const errors = useQuery({
    queryKey: dashboardKeys.part('errors', filter),
    queryFn: ({ signal }) => readErrors(filter, signal),
    placeholderData: (before) => before,
    refetchInterval: refetchMs,
  });
  return (
    <TitledCard title={t('dashboard.recentErrors')}>
      <Loaded query={errors}>
        {({ items }) =>
          items.length === 0 ? (
            <Dimmed size="sm" py="lg" ta="center">
              {t('dashboard.recentErrors.none')}
            </Dimmed>
          ) : (
            <Stack gap={10}>
              {items.map((entry) => (
                <div key={entry.id}>
                  <Group justify="space-between" gap="sm" wrap="nowrap">
                    <Anchor
                      component={Link}
                      to={logAddress(filter, {
                        type: String(LOG_TYPE.error),
                        id: String(entry.id),
                      })}
                      truncate
                    >
                      {entry.model_name || t('dashboard.recentErrors.call')}
                    </Anchor>
                    <Dimmed>
                      <RelativeTime at={entry.created_at} />
                    </Dimmed>
                  </Group>
                  <Dimmed lineClamp={2}>{entry.content || '-'}</Dimmed>
                </div>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </TitledCard>
  );
}
