import { Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod/mini';
import type { Recipient as RecipientReply } from '../../../../src/api/messaging/message.ts';
import type { Column } from '../../components/data-table/columns.ts';
import { DataTable } from '../../components/data-table/DataTable.tsx';
import { FullTime } from '../../components/display/RelativeTime.tsx';
import { Empty } from '../../components/layout/list-states.tsx';
import { useList } from '../../hooks/useList.ts';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { messageKeys, messages, secondsOf } from './calls.ts';

type Recipient = z.output<typeof RecipientReply>;

const FIRST_SIZE = 10;

/** The recipients of a message and when each first opened it. */
export function RecipientTable({ messageId }: { readonly messageId: number }) {
  const { t } = useTranslation();
  const [page, setPage] = useState(1);
  const [size, setSize] = useState(FIRST_SIZE);
  const query = { id: messageId, p: page, page_size: size };
  const list = useList({
    key: messageKeys.part('recipients', query),
    fetch: (signal) => messages.recipients(query, { signal }),
    onPage: setPage,
    onPageSize: (size) => {
      setSize(size);
      setPage(1);
    },
  });
  return (
    <section aria-label={t('message.recipients')}>
      <Text size="sm" fw={500} mb={4}>
        {t('message.recipients')}
      </Text>
      <DataTable
        {...list.grid}
        id="recipient"
        label={t('message.recipients')}
        rowId={(recipient) => recipient.user_id}
        columns={recipientColumns(t)}
        empty={<Empty title={t('message.noRecipients')} />}
      />
    </section>
  );
}

function recipientColumns(t: TFunction): readonly Column<Recipient>[] {
  return [
    {
      key: 'username',
      title: t('message.username'),
      card: 'title',
      render: ({ username, user_id }) => <Name text={username || `#${user_id}`} />,
    },
    {
      key: 'display_name',
      title: t('message.displayName'),
      render: ({ display_name }) => <Name text={display_name} />,
    },
    {
      key: 'read_at',
      title: t('message.readAt'),
      render: ({ read_at }) => (
        <FullTime
          at={read_at === null ? undefined : secondsOf(read_at)}
          none={t('message.unread')}
        />
      ),
    },
  ];
}

function Name({ text }: { readonly text: string }) {
  const isHidden = usePrivacy();
  return (
    <Text size="sm" truncate maw={180} title={isHidden ? undefined : text}>
      {isHidden ? '•••' : text}
    </Text>
  );
}
