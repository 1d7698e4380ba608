import { Group, Progress, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import type { Column } from '../../components/data-table/columns.ts';
import { FullTime } from '../../components/display/RelativeTime.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { epochSeconds } from '../../lib/text/dates.ts';
import type { Format, Message } from './calls.ts';

export function messageColumns(t: TFunction): readonly Column<Message>[] {
  return [
    {
      key: 'id',
      title: t('common.id'),
      width: 72,
      priority: 1,
      card: 'none',
      render: ({ id }) => id,
    },
    {
      key: 'title',
      title: t('message.name'),
      width: 240,
      isWide: true,
      isFixed: true,
      card: 'title',
      render: ({ title }) => (
        <Text fw={500} truncate title={title}>
          {title}
        </Text>
      ),
    },
    {
      key: 'format',
      title: t('message.format'),
      width: 110,
      priority: 3,
      align: 'center',
      card: 'status',
      render: ({ format }) => <FormatTag format={format} />,
    },
    {
      key: 'recipients',
      title: t('message.recipients'),
      width: 110,
      priority: 2,
      align: 'right',
      render: ({ stats }) => numberText(stats.total_recipients),
    },
    {
      key: 'read_rate',
      title: t('message.readRate'),
      width: 200,
      render: (message) => <ReadRate message={message} />,
    },
    {
      key: 'created_at',
      title: t('common.created'),
      width: 170,
      render: ({ created_at }) => <FullTime at={epochSeconds(created_at)} />,
    },
  ];
}

/** The format names are the same in every language. */
const FORMAT_NAMES: Record<Format, string> = { markdown: 'Markdown', html: 'HTML' };

function FormatTag({ format }: { readonly format: Format }) {
  return <Tag tone={format === 'html' ? 'orange' : 'blue'}>{FORMAT_NAMES[format]}</Tag>;
}

export function formatChoices(): { value: Format; label: string }[] {
  return [
    { value: 'markdown', label: FORMAT_NAMES.markdown },
    { value: 'html', label: FORMAT_NAMES.html },
  ];
}

function ReadRate({ message: { stats } }: { readonly message: Message }) {
  const { t } = useTranslation();
  const { read_count, total_recipients, read_rate } = stats;
  return (
    <Group wrap="nowrap" fz="xs" w="100%">
      <Progress
        flex={1}
        miw={48}
        size={6}
        value={read_rate}
        aria-label={t('message.readBy', { read: read_count, total: total_recipients })}
      />
      <Text span inherit c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {read_count} · {read_rate.toFixed(1)}%
      </Text>
    </Group>
  );
}
