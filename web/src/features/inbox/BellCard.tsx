import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Empty, Loaded, Loading } from '../../components/layout/list-states.tsx';
import { messageKeys } from '../../lib/api/query-keys.ts';
import { inbox } from './calls.ts';
import { MessageItems } from './MessageList.tsx';
import { useMarkAllAsRead } from './mark-as-read.ts';

const NEWEST = 5;

/** The bell's hover card: the newest messages and a link to all of them. */
export function BellCard() {
  const { t } = useTranslation();
  const { isBusy, readAll } = useMarkAllAsRead();
  const query = { page_size: NEWEST };
  const newest = useQuery({
    queryKey: messageKeys.part('inbox', query),
    queryFn: ({ signal }) => inbox.inbox(query, { signal }),
  });
  const hasUnread = newest.data?.items.some(({ is_read }) => !is_read) ?? false;
  return (
    <div style={{ width: 340 }}>
      <Group gap="md" justify="space-between" px="sm" py={8}>
        <Text fw={600}>{t('inbox.title')}</Text>
        <Button
          size="compact-xs"
          variant="subtle"
          disabled={!hasUnread}
          loading={isBusy}
          onClick={() => void readAll()}
        >
          {t('inbox.readAll')}
        </Button>
      </Group>
      <Loaded query={newest} loading={<Loading lines={5} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('common.noMessages')} />
          ) : (
            <MessageItems rows={items} />
          )
        }
      </Loaded>
      <Button component={Link} to="/app/inbox" variant="subtle" fullWidth radius={0}>
        {t('inbox.open')}
      </Button>
    </div>
  );
}
