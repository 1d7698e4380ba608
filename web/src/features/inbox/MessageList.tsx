import { SegmentedControl, VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { PageState } from '../../components/data-table/columns.ts';
import { Pager } from '../../components/data-table/Pager.tsx';
import { Empty, LoadFailed, Loading } from '../../components/layout/list-states.tsx';
import { dateTimeText, epochSeconds, recentTime, zoneName } from '../../lib/text/dates.ts';
import type { OwnMessage } from './calls.ts';
import classes from './InboxPage.module.css';
import { messagePreview, plainText } from './preview.ts';

export type MessageFilter = 'all' | 'unread';

interface MessageListProps {
  readonly tableProps: {
    readonly rows: readonly OwnMessage[] | undefined;
    readonly error: unknown;
    readonly onRetry: () => unknown;
    readonly isFetching: boolean;
    readonly paging?: PageState;
  };
  readonly openId: string;
  /** Kept in the links, so that the list keeps its filter. */
  readonly search: string;
  readonly show: MessageFilter;
  readonly onShow: (show: MessageFilter) => void;
}

export function MessageList({ tableProps, openId, search, show, onShow }: MessageListProps) {
  const { t } = useTranslation();
  const { rows, error, onRetry, isFetching, paging } = tableProps;
  return (
    <section
      className={classes.list}
      data-fetching={isFetching || undefined}
      aria-label={t('inbox.title')}
      aria-busy={isFetching}
    >
      <div className={classes.tools}>
        <SegmentedControl
          size="xs"
          aria-label={t('inbox.show')}
          value={show}
          onChange={onShow}
          data={[
            { value: 'all', label: t('inbox.all') },
            { value: 'unread', label: t('inbox.unread') },
          ]}
        />
      </div>
      {error !== undefined && (
        <LoadFailed title={t('inbox.failed')} error={error} onRetry={onRetry} />
      )}
      {rows === undefined && error === undefined && (
        <div style={{ padding: 16 }}>
          <Loading lines={8} />
        </div>
      )}
      {rows?.length === 0 && (
        <Empty title={t(show === 'unread' ? 'inbox.allRead' : 'common.noMessages')} />
      )}
      {rows !== undefined && rows.length > 0 && (
        <MessageItems rows={rows} openId={openId} search={search} />
      )}
      {paging && paging.total > 0 && <Pager {...paging} />}
    </section>
  );
}

interface MessageItemsProps {
  readonly rows: readonly OwnMessage[];
  readonly openId?: string;
  readonly search?: string;
}

export function MessageItems({ rows, openId = '', search = '' }: MessageItemsProps) {
  return (
    <ul className={classes.items}>
      {rows.map((message) => (
        <li key={message.id}>
          <MessageItem
            message={message}
            isOpen={String(message.id) === openId}
            to={`/app/inbox/${message.id}${search}`}
          />
        </li>
      ))}
    </ul>
  );
}

interface MessageItemProps {
  readonly message: OwnMessage;
  readonly isOpen: boolean;
  readonly to: string;
}

function MessageItem({ message, isOpen, to }: MessageItemProps) {
  const { t, i18n } = useTranslation();
  const at = epochSeconds(message.created_at);
  return (
    <Link
      to={to}
      className={classes.item}
      data-unread={!message.is_read || undefined}
      aria-current={isOpen ? 'page' : undefined}
    >
      <span className={classes.dot} aria-hidden />
      <span className={classes.title}>
        {!message.is_read && <VisuallyHidden>{t('inbox.unread')}: </VisuallyHidden>}
        {message.title}
      </span>
      <time
        className={classes.time}
        dateTime={message.created_at}
        title={`${dateTimeText(at)} ${zoneName()}`}
      >
        {recentTime(at, Date.now() / 1000, i18n.language)}
      </time>
      <span className={classes.preview}>{messagePreview(plainText(message))}</span>
    </Link>
  );
}
