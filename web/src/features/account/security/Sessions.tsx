import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { Tag } from '../../../components/display/Tag.tsx';
import { Loaded } from '../../../components/layout/list-states.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { account } from '../../../lib/api/account.ts';
import { sessionKeys } from '../../../lib/api/query-keys.ts';
import { browserName } from './browser-name.ts';
import { SecuritySection } from './SecuritySection.tsx';

const SHOWN = 10;

/** The signed-in sessions. */
export function Sessions() {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: sessionKeys.list({}),
    queryFn: ({ signal }) => account.sessions({ p: 1, page_size: SHOWN }, { signal }),
  });
  const end = useAction(() => account.endSessions({ keep_current: true }), {
    touches: [sessionKeys],
    done: () => t('account.sessions.ended'),
    confirm: () => ({
      title: t('account.sessions.ask'),
      text: t('account.sessions.askHint'),
      verb: t('account.sessions.end'),
      isDanger: true,
    }),
  });
  return (
    <SecuritySection
      title={t('account.sessions.title')}
      action={
        (query.data?.total ?? 0) > 1 && (
          <SideButton
            size="xs"
            loading={end.isPending}
            label={t('account.sessions.end')}
            onClick={() => end.run(undefined)}
          />
        )
      }
    >
      <Loaded query={query}>
        {({ items, total }) => (
          <Stack gap="xs">
            {items.map((session) => (
              <Group key={session.id} justify="space-between" wrap="nowrap">
                <div style={{ minWidth: 0 }}>
                  <Text truncate title={session.user_agent}>
                    {browserName(session.user_agent) ?? t('account.sessions.unknown')}
                  </Text>
                  <Dimmed>
                    {session.address} · <RelativeTime at={session.seen_at} />
                  </Dimmed>
                </div>
                {session.current && <Tag tone="green">{t('account.sessions.current')}</Tag>}
              </Group>
            ))}
            {total > items.length && (
              <Dimmed>{t('common.moreCount', { count: total - items.length })}</Dimmed>
            )}
          </Stack>
        )}
      </Loaded>
    </SecuritySection>
  );
}
