import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ColumnSettings } from '../../components/data-table/ColumnSettings.tsx';
import { DataTable } from '../../components/data-table/DataTable.tsx';
import { rowActions } from '../../components/data-table/row-actions.tsx';
import { Empty, NoMatch } from '../../components/layout/list-states.tsx';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { useAction } from '../../hooks/useAction.ts';
import { useList } from '../../hooks/useList.ts';
import { messageKeys } from '../../lib/api/query-keys.ts';
import { PAGE_FIELDS } from '../../lib/browser/page-links.ts';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { momentSec, useUrlState } from '../../lib/browser/url-state.ts';
import { type Message, messages } from './calls.ts';
import { messageColumns } from './columns.tsx';
import { EditMessageDrawer } from './EditMessageDrawer.tsx';
import { MessageFilters } from './MessageFilters.tsx';
import { NewMessageDrawer } from './NewMessageDrawer.tsx';

export function MessagesPage() {
  const { t } = useTranslation();
  const { state, set, reset, isNarrowed } = useUrlState(PAGE_FIELDS['/admin/messages']);
  const [pageSize, setPageSize] = useStored(STORED.messagePageSize);
  const { q: keyword, from, to, page, id } = state;
  const paging = { p: page, page_size: pageSize };
  const list = useList({
    // A range like "last 7 days" is stored by name and resolved to dates per request.
    key: messageKeys.list({ keyword, from, to, ...paging }),
    fetch: (signal) =>
      isNarrowed
        ? messages.search({ keyword, ...datesOf(from, to), ...paging }, { signal })
        : messages.list(paging, { signal }),
    onPage: (page, how) => set({ page }, how),
    setPageSize,
  });
  const columns = messageColumns(t);
  const open = (id: string) => set({ id });
  const actions = useMessageActions(open);
  const write = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => open('new')}>
      {t('message.create')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('nav.messages')} hint={t('message.hint')} actions={write} />
      <MessageFilters
        state={state}
        set={set}
        reset={reset}
        tools={<ColumnSettings id="message" columns={columns} />}
      />
      <DataTable
        {...list.tableProps}
        id="message"
        label={t('nav.messages')}
        rowId={(message) => message.id}
        columns={columns}
        actions={actions}
        onRow={(message) => open(String(message.id))}
        empty={
          isNarrowed ? (
            <NoMatch onClear={() => reset()} />
          ) : (
            <Empty title={t('common.noMessages')} text={t('message.noneHint')} />
          )
        }
      />
      <NewMessageDrawer isOpen={id === 'new'} onClose={() => open('')} />
      <EditMessageDrawer id={id === 'new' ? '' : id} onClose={() => open('')} />
    </>
  );
}

function useMessageActions(open: (id: string) => void) {
  const { t } = useTranslation();
  const remove = useAction(({ id }: Message) => messages.remove({ id }), {
    touches: [messageKeys],
    done: () => t('message.deleted'),
    confirm: (message) => ({
      title: t('message.askDelete', { title: message.title }),
      text: t('message.deleteHint', { count: message.stats.total_recipients }),
      verb: t('message.verbDelete'),
      isDanger: true,
    }),
  });
  return (message: Message) =>
    rowActions(t, {
      edit: { isPrimary: true, onClick: () => open(String(message.id)) },
      delete: { isPrimary: true, onClick: () => remove.run(message) },
    });
}

function datesOf(from: string, to: string) {
  const nowSec = Math.floor(Date.now() / 1000);
  const [start, end] = [from, to].map((moment) => momentSec(moment, nowSec));
  return {
    ...(start !== undefined && { start_date: isoOf(start) }),
    ...(end !== undefined && { end_date: isoOf(end) }),
  };
}

function isoOf(sec: number): string {
  return new Date(sec * 1000).toISOString();
}
