import { IconChecks, IconMailOpened } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation, useParams } from 'react-router-dom';
import { SideButton } from '../../components/display/SideButton.tsx';
import { Empty } from '../../components/layout/list-states.tsx';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { useList } from '../../hooks/useList.ts';
import { messageKeys } from '../../lib/api/query-keys.ts';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { field, useUrlState } from '../../lib/browser/url-state.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { inbox, UNREAD_KEY } from './calls.ts';
import classes from './InboxPage.module.css';
import { MessageList } from './MessageList.tsx';
import { MessagePane } from './MessagePane.tsx';
import { useMarkAllAsRead } from './mark-as-read.ts';

const FIELDS = { show: field.choice(['all', 'unread'], 'all'), page: field.page() };

export function InboxPage() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const { search } = useLocation();
  const isPhone = useIsPhone();
  const { state, set } = useUrlState(FIELDS);
  const [pageSize, setPageSize] = useStored(STORED.messagePageSize);
  const { show, page } = state;
  const query = { unread: show === 'unread', p: page, page_size: pageSize };
  const list = useList({
    key: messageKeys.part('inbox', query),
    fetch: (signal) => inbox.inbox(query, { signal }),
    onPage: (page, how) => set({ page }, how),
    setPageSize,
  });
  const ids = list.items?.map((message) => message.id) ?? [];
  const pane = <MessagePane key={id} id={id} ids={ids} search={search} />;
  if (isPhone && id !== '') return pane;
  const panes = (
    <MessageList
      tableProps={list.tableProps}
      openId={id}
      search={search}
      show={show}
      onShow={(show) => set({ show })}
    />
  );
  return (
    <>
      <PageHeader title={t('inbox.title')} actions={<ReadAll />} />
      {isPhone ? (
        panes
      ) : (
        <div className={classes.panes}>
          {panes}
          {id === '' ? (
            <div className={classes.pane}>
              <Empty icon={<IconMailOpened size={36} />} title={t('inbox.choose')} />
            </div>
          ) : (
            pane
          )}
        </div>
      )}
    </>
  );
}

function ReadAll() {
  const { t } = useTranslation();
  const { isBusy, readAll } = useMarkAllAsRead();
  // Fetched and refreshed by the bell.
  const { data } = useQuery<{ unread_count: number }>({ queryKey: UNREAD_KEY, enabled: false });
  if (!data?.unread_count) return null;
  return (
    <SideButton
      icon={IconChecks}
      loading={isBusy}
      label={t('inbox.readAll')}
      onClick={() => void readAll()}
    />
  );
}
