import { ActionIcon, HoverCard, Indicator } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { messageCalls } from '../../../../src/api/messaging/message.ts';
import { client } from '../../lib/api/api.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { needTexts } from '../../lib/text/texts.ts';
import { unreadBadge } from '../shell/shell-rules.ts';

const messages = client({ unreadCount: messageCalls.unreadCount });
const BellCard = lazy(async () => {
  const [{ BellCard }] = await Promise.all([
    import('../../features/inbox/BellCard.tsx'),
    needTexts(['inbox']),
  ]);
  return { default: BellCard };
});
const POLL_MS = 30_000;

/** Link to the inbox with the unread count. Opening a message invalidates `message`. */
export function Bell() {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['message', 'unread'],
    queryFn: ({ signal }) => messages.unreadCount({}, { signal }),
    refetchInterval: POLL_MS,
  });
  const count = data?.unread_count ?? 0;
  const badge = unreadBadge(count);
  const label = count === 0 ? t('shell.inbox') : t('shell.unread', { count });
  const isPhone = useIsPhone();
  return (
    <HoverCard
      position="bottom-end"
      shadow="md"
      openDelay={200}
      closeDelay={200}
      disabled={isPhone}
      withinPortal
      offset={4}
    >
      <Indicator
        label={badge}
        disabled={badge === undefined}
        size={16}
        offset={8}
        color="danger"
        fz={10}
      >
        <HoverCard.Target>
          <ActionIcon component={Link} to="/app/inbox" size={40} aria-label={label}>
            <IconBell size={18} />
          </ActionIcon>
        </HoverCard.Target>
      </Indicator>
      <HoverCard.Dropdown p={0}>
        <Suspense fallback={null}>
          <BellCard />
        </Suspense>
      </HoverCard.Dropdown>
    </HoverCard>
  );
}
