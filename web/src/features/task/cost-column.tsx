import type { TFunction } from 'i18next';
import type { Column } from '../../components/data-table/columns.ts';
import { TaskCost } from './cells.tsx';

/** The cost in both task logs. */
export function costColumn<T extends { readonly quota: number; readonly status: string }>(
  t: TFunction,
): Column<T> {
  return {
    key: 'quota',
    title: t('task.cost'),
    width: 84,
    priority: 6,
    align: 'right',
    render: ({ quota, status }) => <TaskCost quota={quota} status={status} />,
  };
}
