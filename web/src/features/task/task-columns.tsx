import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../components/data-table/columns.ts';
import { FullTime, RelativeTime } from '../../components/display/RelativeTime.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import type { TaskRow } from './calls.ts';
import { Action, Duration, OneLineText, ProgressCell, TaskState, TaskUser } from './cells.tsx';
import { costColumn } from './cost-column.tsx';
import classes from './Task.module.css';

/** The columns of the task log; the channel is for administrators only. */
export function useTaskColumns(
  isAdmin: boolean,
  onOpen: (id: number) => void,
): readonly Column<TaskRow>[] {
  return [...useWhen(isAdmin), ...useWhat(onOpen)].filter((column) => column !== false);
}

type Columns = readonly (Column<TaskRow> | false)[];

function useWhen(isAdmin: boolean): Columns {
  const { t } = useTranslation();
  return [
    {
      key: 'submit_time',
      title: t('task.submitted'),
      width: 104,
      isFixed: true,
      card: 'title',
      render: ({ submit_time: at }) => <RelativeTime at={at} />,
    },
    {
      key: 'finish_time',
      title: t('task.finished'),
      width: 150,
      priority: 1,
      card: 'none',
      render: ({ finish_time: at }) => <FullTime at={at} />,
    },
    {
      key: 'duration',
      title: t('task.duration'),
      width: 110,
      priority: 4,
      render: (row) => <Duration fromMs={row.submit_time * 1000} toMs={row.finish_time * 1000} />,
    },
    isAdmin && {
      key: 'user',
      title: t('task.user'),
      width: 70,
      priority: 7,
      card: 'none',
      render: ({ user_id: id }) => <TaskUser id={id} />,
    },
    isAdmin && {
      key: 'channel',
      title: t('task.channel'),
      width: 80,
      priority: 2,
      card: 'none',
      render: ({ channel_id: id }) => id !== 0 && <Tag>#{id}</Tag>,
    },
    {
      key: 'platform',
      title: t('task.platform'),
      width: 76,
      priority: 3,
      card: 'none',
      render: ({ platform }) => platform !== '' && <Tag tone="teal">{platform}</Tag>,
    },
  ];
}

function useWhat(onOpen: (id: number) => void): Columns {
  const { t } = useTranslation();
  return [
    {
      key: 'action',
      title: t('task.action'),
      width: 98,
      render: ({ action }) => action !== '' && <Action action={action} />,
    },
    {
      key: 'task_id',
      title: t('task.id'),
      width: 166,
      render: (row) => (
        <Anchor
          component="button"
          type="button"
          className={classes.id}
          title={row.task_id}
          onClick={(event) => {
            event.stopPropagation();
            onOpen(row.id);
          }}
        >
          {row.task_id}
        </Anchor>
      ),
    },
    {
      key: 'status',
      title: t('task.status'),
      width: 136,
      card: 'status',
      render: ({ status }) => <TaskState status={status} />,
    },
    costColumn(t),
    {
      key: 'progress',
      title: t('task.progress'),
      width: 134,
      render: (row) => (
        <ProgressCell progress={row.progress} hasFailed={row.status === 'FAILURE'} />
      ),
    },
    {
      key: 'fail_reason',
      title: t('task.failReason'),
      width: 118,
      isWide: true,
      render: ({ fail_reason: text }) => text !== '' && <OneLineText text={text} />,
    },
  ];
}
