import { Menu } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { HeadButton } from '../HeadButton.tsx';
import { conversationsIn, type SavedConversation, titleOf } from './saved-conversations.ts';

interface HistoryMenuProps {
  /** The one on screen. */
  readonly conversationId: string;
  readonly onOpen: (conversation: SavedConversation) => void;
}

/** The latest chats stored in this browser. */
export const HistoryMenu = memo(function HistoryMenu({ conversationId, onOpen }: HistoryMenuProps) {
  const { t } = useTranslation();
  const [text, setText] = useStored(STORED.playgroundConversations);
  const conversations = conversationsIn(text);
  const clear = async () => {
    const isSure = await confirm({
      title: t('playground.history.askClear', { count: conversations.length }),
      verb: t('playground.history.clear'),
      isDanger: true,
    });
    if (isSure) setText('');
  };
  return (
    <Menu position="bottom-end" width={300}>
      <Menu.Target>
        <HeadButton icon={<IconHistory size={16} />} label={t('playground.history')} />
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        {conversations.length === 0 && (
          <Dimmed size="sm" p="xs">
            {t('playground.history.none')}
          </Dimmed>
        )}
        {conversations.map((conversation) => (
          <Menu.Item
            key={conversation.id}
            fw={conversation.id === conversationId ? 600 : undefined}
            onClick={() => onOpen(conversation)}
          >
            {titleOf(conversation) || t('playground.history.untitled')}
          </Menu.Item>
        ))}
        {conversations.length > 0 && (
          <>
            <Menu.Divider />
            <Menu.Item color="danger" onClick={() => void clear()}>
              {t('playground.history.clear')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
});
