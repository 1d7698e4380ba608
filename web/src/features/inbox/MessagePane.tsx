import { Button, Group, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowLeft, IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { MarkdownView } from '../../components/content/MarkdownView.tsx';
import { SafeHtml } from '../../components/content/SafeHtml.tsx';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { FullTime } from '../../components/display/RelativeTime.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { ToolButton } from '../../components/display/ToolButton.tsx';
import { LoadFailed, Loading } from '../../components/layout/list-states.tsx';
import { usePageTitle } from '../../components/layout/PageHeader.tsx';
import { toast } from '../../components/layout/toasts.tsx';
import { ApiError } from '../../lib/api/api.ts';
import { messageKeys } from '../../lib/api/query-keys.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { epochSeconds } from '../../lib/text/dates.ts';
import { inbox, type OwnMessage } from './calls.ts';
import classes from './InboxPage.module.css';
import { useMarkAsRead } from './mark-as-read.ts';

interface MessagePaneProps {
  readonly id: string;
  /** Ids of the list beside it, for the next message. */
  readonly ids: readonly number[];
  readonly search: string;
}

/** One message. If it does not exist or is not for this user, redirects to the inbox. */
export function MessagePane({ id, ids, search }: MessagePaneProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isNumber = /^\d{1,15}$/.test(id);
  const { data, error, refetch } = useQuery({
    queryKey: messageKeys.part('mine', Number(id)),
    queryFn: ({ signal }) => inbox.read({ id: Number(id) }, { signal }),
    enabled: isNumber,
  });
  const isMissing = !isNumber || (error instanceof ApiError && error.code === 'message_missing');
  useMarkAsRead(data);
  useEffect(() => {
    if (!isMissing) return;
    toast.error(t('inbox.missing'));
    void navigate(`/app/inbox${search}`, { replace: true });
  }, [isMissing, navigate, search, t]);
  return (
    <article className={classes.pane}>
      <Steps id={Number(id)} ids={ids} search={search} />
      {data !== undefined && <MessageBody message={data} />}
      {data === undefined && error === null && <Loading lines={6} />}
      {data === undefined && error !== null && !isMissing && (
        <LoadFailed title={t('inbox.failed')} error={error} onRetry={refetch} />
      )}
    </article>
  );
}

interface StepsProps {
  readonly id: number;
  readonly ids: readonly number[];
  readonly search: string;
}

function Steps({ id, ids, search }: StepsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const index = ids.indexOf(id);
  const newer = index > 0 ? ids[index - 1] : undefined;
  const older = index < 0 ? undefined : ids[index + 1];
  const go = (id: number | undefined) => {
    if (id !== undefined) void navigate(`/app/inbox/${id}${search}`);
  };
  useHotkeys([
    ['j', () => go(older)],
    ['k', () => go(newer)],
  ]);
  return (
    <Group gap="md" justify="space-between" mb="sm">
      <Button
        component={Link}
        to={`/app/inbox${search}`}
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<IconArrowLeft size={16} />}
      >
        {t('inbox.back')}
      </Button>
      <Group gap={4}>
        <ToolButton
          label={t('common.previousKey')}
          disabled={newer === undefined}
          onClick={() => go(newer)}
          icon={IconChevronUp}
          iconSize={18}
        />
        <ToolButton
          label={t('common.nextKey')}
          disabled={older === undefined}
          onClick={() => go(older)}
          icon={IconChevronDown}
          iconSize={18}
        />
      </Group>
    </Group>
  );
}

/** The format names are the same in every language. */
const FORMATS: Record<OwnMessage['format'], string> = { markdown: 'Markdown', html: 'HTML' };

function MessageBody({ message }: { readonly message: OwnMessage }) {
  const { title, content, format, created_at } = message;
  const isPhone = useIsPhone();
  usePageTitle(title);
  return (
    <>
      <Title order={isPhone ? 1 : 2} size="h1" style={{ overflowWrap: 'anywhere' }}>
        {title}
      </Title>
      <Group mt={4} mb="lg">
        <Dimmed size="sm">
          <FullTime at={epochSeconds(created_at)} />
        </Dimmed>
        <Tag>{FORMATS[format]}</Tag>
      </Group>
      {format === 'html' ? <SafeHtml html={content} /> : <MarkdownView text={content} />}
    </>
  );
}
