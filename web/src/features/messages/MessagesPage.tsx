import { useTranslation } from 'react-i18next';
import { rowActions } from '../../components/data-table/row-actions.tsx';
import { searchRow } from '../../components/layout/ListFilters.tsx';
import { ListPage } from '../../components/layout/ListPage.tsx';
import { useAction } from '../../hooks/useAction.ts';
import { useUrlList } from '../../hooks/useList.ts';
import { messageKeys } from '../../lib/api/query-keys.ts';
import { PAGE_FIELDS } from '../../lib/browser/page-links.ts';
import { STORED } from '../../lib/browser/stored.ts';
import { momentSec, useUrlState } from '../../lib/browser/url-state.ts';
import { type Message, messages } from './calls.ts';
import { messageColumns } from './columns.tsx';
import { EditMessageDrawer } from './EditMessageDrawer.tsx';
import { NewMessageDrawer } from './NewMessageDrawer.tsx';

export function MessagesPage() {
  const { t } = useTranslation();
  const url = useUrlState(PAGE_FIELDS['/admin/messages']);
  const { q: keyword, from, to, id } = url.state;
  const list = useUrlList(
    messageKeys,
    url,
    { keyword, from, to },
    // A range like "last 7 days" is stored by name and resolved to dates per request.
    ({ p, page_size }, how) =>
      url.isNarrowed
        ? messages.search({ keyword, ...datesOf(from, to), p, page_size }, how)
        : messages.list({ p, page_size }, how),
    { size: STORED.messagePageSize },
  );
  const open = (id: string) => url.set({ id });
  return (
    <ListPage
      {...list.tableProps}
      id="message"
      title={t('nav.messages')}
      hint={t('message.hint')}
      url={url}
      filters={[
        searchRow(t, { placeholder: t('message.searchHint'), width: 260 }),
        { input: 'range' },
      ]}
      add={{ label: t('message.create'), onClick: () => open('new') }}
      rowId={(message) => message.id}
      columns={messageColumns(t)}
      actions={useMessageActions(open)}
      onRow={(message) => open(String(message.id))}
      none={{ title: t('common.noMessages'), text: t('message.noneHint') }}
    >
      <NewMessageDrawer isOpen={id === 'new'} onClose={() => open('')} />
      <EditMessageDrawer id={id === 'new' ? '' : id} onClose={() => open('')} />
    </ListPage>
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
