import { Menu, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { confirm } from '../../../components/layout/confirm.tsx';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { HeadButton } from '../HeadButton.tsx';
import { type Talk, talksIn, titleOf } from './saved-conversations.ts';

interface HistoryMenuProps {
  /** The one on screen. */
  readonly talkId: string;
  readonly onOpen: (talk: Talk) => void;
}

/** The latest chats stored in this browser. */
export const HistoryMenu = memo(function HistoryMenu({ talkId, onOpen }: HistoryMenuProps) {
  const { t } = useTranslation();
  const [text, setText] = useStored(STORED.playgroundTalks);
  const talks = talksIn(text);
  const clear = async () => {
    const isSure = await confirm({
      title: t('playground.history.askClear'),
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
        {talks.length === 0 && (
          <Text size="sm" c="dimmed" p="xs">
            {t('playground.history.none')}
          </Text>
        )}
        {talks.map((talk) => (
          <Menu.Item
            key={talk.id}
            fw={talk.id === talkId ? 600 : undefined}
            onClick={() => onOpen(talk)}
          >
            {titleOf(talk) || t('playground.history.untitled')}
          </Menu.Item>
        ))}
        {talks.length > 0 && (
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
