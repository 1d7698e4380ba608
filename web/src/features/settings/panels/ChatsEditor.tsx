import { Group, TextInput } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconExternalLink,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { ToolButton } from '../../../components/display/ToolButton.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useBaseUrl } from '../../../lib/site/base-url.ts';
import { chatUrl } from '../../../lib/site/chat-links.ts';
import { OptionViews } from '../fields/OptionViews.tsx';
import { useSettings } from '../sections/settings-store.ts';
import { OPERATION_SECTIONS } from '../sections/tabs.ts';
import { type ChatRow, chatRows, chatText, moved } from './chat-rows.ts';

/** Replaces the key when a link is tested. */
const SAMPLE_KEY = 'sk-test';

export function ChatsEditor() {
  const { text, change, errors } = useSettings();
  const rows = chatRows(text('Chats'));
  const write = (next: readonly ChatRow[]) => change('Chats', chatText(next));
  return (
    <OptionViews
      keys={OPERATION_SECTIONS.chats}
      problem={errors.Chats}
      table={rows && <ChatTable rows={rows} write={write} />}
    />
  );
}

interface ChatTableProps {
  readonly rows: readonly ChatRow[];
  readonly write: (rows: readonly ChatRow[]) => void;
}

function ChatTable({ rows, write }: ChatTableProps) {
  const { t } = useTranslation();
  return (
    <>
      {rows.map((row, at) => (
        <ChatTableRow
          key={`chat ${at}`}
          row={row}
          onChange={(next) => write(rows.map((old, index) => (index === at ? next : old)))}
          onUp={at > 0 ? () => write(moved(rows, at, at - 1)) : undefined}
          onDown={at < rows.length - 1 ? () => write(moved(rows, at, at + 1)) : undefined}
          onRemove={() => write(rows.filter((_, index) => index !== at))}
        />
      ))}
      <div>
        <SideButton
          size="xs"
          icon={IconPlus}
          label={t('setting.chat.add')}
          onClick={() => write([...rows, { name: `Chat ${rows.length + 1}`, url: 'https://' }])}
        />
      </div>
    </>
  );
}

interface ChatTableRowProps {
  readonly row: ChatRow;
  readonly onChange: (row: ChatRow) => void;
  readonly onUp: (() => void) | undefined;
  readonly onDown: (() => void) | undefined;
  readonly onRemove: () => void;
}

function ChatTableRow({ row, onChange, onUp, onDown, onRemove }: ChatTableRowProps) {
  const { t } = useTranslation();
  const address = useBaseUrl();
  const { name } = row;
  const tryIt = () => {
    const url = chatUrl(row.url, { address, key: SAMPLE_KEY });
    if (url === undefined) return toast.error(t('setting.chat.broken'));
    window.open(url, '_blank', 'noopener');
  };
  const tools = [
    { label: t('setting.chat.up', { name }), Icon: IconArrowUp, press: onUp },
    { label: t('setting.chat.down', { name }), Icon: IconArrowDown, press: onDown },
    { label: t('setting.chat.test', { name }), Icon: IconExternalLink, press: tryIt },
    { label: t('setting.chat.remove', { name }), Icon: IconTrash, press: onRemove },
  ];
  return (
    <Group gap={6}>
      <TextInput
        flex="1 1 140px"
        aria-label={t('common.name')}
        value={name}
        onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
      />
      <TextInput
        flex="3 1 240px"
        aria-label={t('setting.chat.url')}
        value={row.url}
        onChange={(event) => onChange({ ...row, url: event.currentTarget.value })}
      />
      <Group gap={2} wrap="nowrap">
        {tools.map(({ label, Icon, press }) => (
          <ToolButton
            key={label}
            label={label}
            disabled={press === undefined}
            onClick={press}
            icon={Icon}
          />
        ))}
      </Group>
    </Group>
  );
}
