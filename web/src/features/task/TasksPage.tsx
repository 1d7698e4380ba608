import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ColumnSettings } from '../../components/data-table/ColumnSettings.tsx';
import { DataTable } from '../../components/data-table/DataTable.tsx';
import { Empty, FeatureOff, NoMatch } from '../../components/layout/list-states.tsx';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { taskKeys } from '../../lib/api/query-keys.ts';
import { useUrlState } from '../../lib/browser/url-state.ts';
import { useIsAdmin } from '../../lib/session/session.ts';
import { useStatus } from '../../lib/site/status.ts';
import { listTasks } from './calls.ts';
import { TASK_FIELDS, type TaskChoice, taskQuery } from './filter.ts';
import { LoadedNote } from './images/ImageTasksPage.tsx';
import { isRunning } from './states.ts';
import { TaskDrawer } from './TaskDrawer.tsx';
import { TaskFilters } from './TaskFilters.tsx';
import { useTaskColumns } from './task-columns.tsx';
import { SERVER_PAGE_SIZE, useIncrementalList } from './useIncrementalList.ts';

/** Asynchronous tasks such as music: they continue after the call that started them. */
export function TasksPage() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const isOff = useStatus()?.enable_task === false;
  const { state, set, reset, isNarrowed } = useUrlState(TASK_FIELDS);
  const { task, channel, from, to } = state;
  const choice = useMemo(
    (): TaskChoice => ({ task, channel, from, to }),
    [task, channel, from, to],
  );
  const list = useIncrementalList({
    key: taskKeys.list({ choice, isAdmin }),
    fetch: (serverPage, signal) => {
      const nowSec = Math.floor(Date.now() / 1000);
      const paging = { p: serverPage, page_size: SERVER_PAGE_SIZE };
      return listTasks(isAdmin, { ...taskQuery(choice, isAdmin, nowSec), ...paging }, signal);
    },
    page: state.page,
    onPage: (page) => set({ page }),
    isRunning: (row) => isRunning(row.status),
  });
  const open = (id: number) => set({ id: String(id) });
  const columns = useTaskColumns(isAdmin, open);
  const name = t('nav.tasks');
  return (
    <>
      <PageHeader title={name} hint={t('task.hint')} />
      <TaskFilters
        state={state}
        set={set}
        reset={reset}
        usualFrom="today"
        isAdmin={isAdmin}
        tools={<ColumnSettings id="task" columns={columns} />}
      />
      <DataTable
        {...list.tableProps}
        id="task"
        label={name}
        rowId={(row) => row.id}
        columns={columns}
        onRow={(row) => open(row.id)}
        empty={
          isOff ? (
            <FeatureOff name={name} settings="operation" />
          ) : isNarrowed ? (
            <NoMatch onClear={reset} />
          ) : (
            <Empty title={t('task.none')} text={t('task.none.text')} />
          )
        }
      />
      <LoadedNote loaded={list.loaded} total={list.total} />
      <TaskDrawer
        id={state.id}
        onId={(id) => set({ id }, { replace: state.id !== '' && id !== '' })}
        tasks={list.rows}
      />
    </>
  );
}
