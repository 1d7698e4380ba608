import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import type { Column } from '../../components/data-table/columns.ts';
import { RelativeTime } from '../../components/display/RelativeTime.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { Action, Duration, OneLineText, ProgressCell, TaskCost, TaskUser } from './cells.tsx';

/** What image tasks and other tasks have in common. */
interface AnyTask {
  readonly user_id: number;
  readonly channel_id: number;
  readonly action: string;
  readonly status: string;
  readonly quota: number;
  readonly refunded: boolean;
  readonly progress: string;
  readonly fail_reason: string;
  readonly submit_time: number;
  readonly finish_time: number;
}

interface Kind {
  /** Milliseconds per unit of the task's times. */
  readonly timeUnitMs: number;
  readonly state: (status: string) => ReactNode;
}

type Columns<T> = Readonly<Record<string, Column<T>>>;

/**
 * The columns that both task logs have, by key. Times, state, progress and cost stay in a narrow
 * window; user and channel are for administrators only.
 */
export function sharedColumns<T extends AnyTask>(t: TFunction, kind: Kind) {
  return { ...courseColumns<T>(t, kind), ...accountColumns<T>(t), ...resultColumns<T>(t) };
}

function courseColumns<T extends AnyTask>(t: TFunction, { timeUnitMs, state }: Kind) {
  const columns = {
    submitted: {
      key: 'submit_time',
      title: t('task.submitted'),
      width: 104,
      isFixed: true,
      card: 'title',
      render: ({ submit_time: at }) => <RelativeTime at={(at * timeUnitMs) / 1000} />,
    },
    duration: {
      key: 'duration',
      title: t('task.duration'),
      width: 110,
      priority: 4,
      render: (row) => (
        <Duration fromMs={row.submit_time * timeUnitMs} toMs={row.finish_time * timeUnitMs} />
      ),
    },
    status: {
      key: 'status',
      title: t('common.status'),
      width: 158,
      card: 'status',
      render: ({ status }) => state(status),
    },
    progress: {
      key: 'progress',
      title: t('task.progress'),
      width: 108,
      render: (row) => (
        <ProgressCell progress={row.progress} hasFailed={row.status === 'FAILURE'} />
      ),
    },
  } as const satisfies Columns<T>;
  return columns;
}

function accountColumns<T extends AnyTask>(t: TFunction) {
  const columns = {
    user: {
      key: 'user',
      title: t('common.user'),
      width: 70,
      priority: 7,
      card: 'none',
      render: ({ user_id: id }) => <TaskUser id={id} />,
    },
    channel: {
      key: 'channel',
      title: t('common.channel'),
      width: 80,
      priority: 3,
      card: 'none',
      render: ({ channel_id: id }) => id !== 0 && <Tag>#{id}</Tag>,
    },
    cost: {
      key: 'quota',
      title: t('common.cost'),
      width: 84,
      align: 'right',
      render: (row) => <TaskCost quota={row.quota} isRefunded={row.refunded} />,
    },
  } as const satisfies Columns<T>;
  return columns;
}

function resultColumns<T extends AnyTask>(t: TFunction) {
  const columns = {
    action: {
      key: 'action',
      title: t('task.action'),
      width: 134,
      priority: 5,
      render: ({ action }) => action !== '' && <Action action={action} />,
    },
    failReason: {
      key: 'fail_reason',
      title: t('task.failReason'),
      width: 180,
      isWide: true,
      priority: 8,
      render: ({ fail_reason: text }) => text !== '' && <OneLineText text={text} />,
    },
  } as const satisfies Columns<T>;
  return columns;
}
