import { Anchor, Group, Progress, Stack } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled, IconX } from '@tabler/icons-react';
import { type QueryFunctionContext, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { IconButton } from '../../components/display/IconButton.tsx';
import { usesDefaultPassword } from '../../components/identity/default-password.ts';
import { TitledCard } from '../../components/layout/TitledCard.tsx';
import { dashboardKeys } from '../../lib/api/query-keys.ts';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { useIsAdmin } from '../../lib/session/session.ts';
import { allChannels, modelPrices, ownAccountQuery, ownTokens } from './calls.ts';
import {
  type AdminTask,
  adminTasks,
  hasThreshold,
  type UserTask,
  userTasks,
} from './onboarding.ts';

type Tasks = readonly (AdminTask | UserTask)[];

/** The onboarding tasks, until done or dismissed. undefined while loading or if none are left. */
export function useOnboarding(): Tasks | undefined {
  const isAdmin = useIsAdmin();
  const [isDismissed] = useStored(STORED.onboardingDismissed);
  const tasks = useQuery({
    queryKey: dashboardKeys.part('onboarding', isAdmin),
    queryFn: (context): Promise<Tasks> => (isAdmin ? readAdmin(context) : readUser(context)),
    enabled: !isDismissed,
    staleTime: 60_000,
  });
  if (isDismissed || tasks.data === undefined) return undefined;
  return tasks.data.every(({ isDone }) => isDone) ? undefined : tasks.data;
}

const ONE = { p: 1, page_size: 1 };
const PAGE = { p: 1, page_size: 100 };

async function readAdmin({ client, signal }: QueryFunctionContext): Promise<Tasks> {
  const [list, unset, own, self] = await Promise.all([
    allChannels.list(PAGE, { signal }),
    modelPrices.list({ ...ONE, unset: true }, { signal }),
    ownTokens.list(ONE, { signal }),
    client.fetchQuery(ownAccountQuery),
  ]);
  return adminTasks({
    usesDefaultPassword: usesDefaultPassword(),
    channels: list.total,
    testedChannels: list.items.filter(({ test_time: at }) => at > 0).length,
    unpriced: unset.total,
    tokens: own.total,
    calls: self.request_count,
  });
}

async function readUser({ client, signal }: QueryFunctionContext): Promise<Tasks> {
  const [own, self] = await Promise.all([
    ownTokens.list(ONE, { signal }),
    client.fetchQuery(ownAccountQuery),
  ]);
  return userTasks({
    tokens: own.total,
    calls: self.request_count,
    hasThreshold: hasThreshold(self.setting),
    hasEmail: self.email !== '',
  });
}

export function Onboarding({ tasks }: { readonly tasks: Tasks }) {
  const { t } = useTranslation();
  const [, setDismissed] = useStored(STORED.onboardingDismissed);
  const done = tasks.filter(({ isDone }) => isDone).length;
  return (
    <TitledCard
      title={t('dashboard.start')}
      action={
        <IconButton label={t('dashboard.start.dismiss')} onClick={() => setDismissed(true)}>
          <IconX size={16} />
        </IconButton>
      }
    >
      <Dimmed>{t('dashboard.start.progress', { done, total: tasks.length })}</Dimmed>
      <Progress
        value={(done / tasks.length) * 100}
        my="xs"
        aria-label={t('dashboard.start.progress', { done, total: tasks.length })}
      />
      <Stack gap={8} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {tasks.map(({ name, isDone, path }) => (
          <Group key={name} component="li" gap={8} wrap="nowrap">
            {isDone ? (
              <IconCircleCheckFilled
                size={18}
                color="var(--mantine-color-success-6)"
                aria-label={t('dashboard.start.done')}
              />
            ) : (
              <IconCircle size={18} color="var(--series-other)" aria-hidden />
            )}
            {isDone ? (
              <Dimmed size="sm" td="line-through">
                {t(`dashboard.start.${name}`)}
              </Dimmed>
            ) : (
              <Anchor component={Link} to={path}>
                {t(`dashboard.start.${name}`)}
              </Anchor>
            )}
          </Group>
        ))}
      </Stack>
    </TitledCard>
  );
}
