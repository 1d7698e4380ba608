import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import cells from '../../components/data-table/cells.module.css';
import type { Column } from '../../components/data-table/columns.ts';
import { FullTime } from '../../components/display/RelativeTime.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import type { TaskRow } from './calls.ts';
import { TaskState } from './cells.tsx';
import { sharedColumns } from './common-columns.tsx';

/** The columns of the task log; user and channel are for administrators only. */
export function useTaskColumns(
  isAdmin: boolean,
  onOpen: (id: number) => void,
): readonly Column<TaskRow>[] {
  const { t } = useTranslation();
  const shared = sharedColumns<TaskRow>(t, {
    timeUnitMs: 1000,
    state: (status) => <TaskState status={status} />,
  });
  return [
    shared.submitted,
    {
      key: 'finish_time',
      title: t('task.finished'),
      width: 150,
      priority: 1,
      card: 'none',
      render: ({ finish_time: at }) => <FullTime at={at} />,
    },
    shared.duration,
    ...(isAdmin ? [shared.user, shared.channel] : []),
    {
      key: 'platform',
      title: t('task.platform'),
      width: 76,
      priority: 2,
      card: 'none',
      render: ({ platform }) => platform !== '' && <Tag tone="teal">{platform}</Tag>,
    },
    { ...shared.action, width: 108 },
    {
      key: 'task_id',
      title: t('task.id'),
      width: 140,
      render: (row) => (
        <Anchor
          size="md"
          component="button"
          type="button"
          className={`${cells.clipped} ${cells.mono} ${cells.small}`}
          maw="100%"
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
    shared.status,
    shared.cost,
    shared.progress,
    shared.failReason,
  ];
}
