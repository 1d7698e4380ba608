import { useTranslation } from 'react-i18next';
import { ListPage } from '../../components/layout/ListPage.tsx';
import { FeatureOff } from '../../components/layout/list-states.tsx';
import { useUrlList } from '../../hooks/useList.ts';
import { taskKeys } from '../../lib/api/query-keys.ts';
import { useUrlState } from '../../lib/browser/url-state.ts';
import { useIsAdmin } from '../../lib/session/session.ts';
import { useStatus } from '../../lib/site/status.ts';
import { listTasks } from './calls.ts';
import { TASK_FIELDS, taskChoiceOf, taskFilters } from './filter.ts';
import { whileRunning } from './states.ts';
import { TaskDrawer } from './TaskDrawer.tsx';
import { useTaskColumns } from './task-columns.tsx';

/** Asynchronous tasks such as music: they continue after the call that started them. */
export function TasksPage() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const isOff = useStatus()?.enable_task === false;
  const url = useUrlState(TASK_FIELDS);
  const { state, set } = url;
  const list = useUrlList(taskKeys, url, { ...taskChoiceOf(state), isAdmin }, listTasks, {
    refetchMs: whileRunning,
  });
  const open = (id: number) => set({ id: String(id) });
  return (
    <ListPage
      {...list.tableProps}
      id="task"
      title={t('nav.tasks')}
      hint={t('task.hint')}
      url={url}
      filters={taskFilters(t, isAdmin, 'today')}
      rowId={(row) => row.id}
      columns={useTaskColumns(isAdmin, open)}
      onRow={(row) => open(row.id)}
      none={{ title: t('task.none'), text: t('task.none.text') }}
      empty={isOff && <FeatureOff name={t('nav.tasks')} settings="operation" />}
    >
      <TaskDrawer
        id={state.id}
        onId={(id) => set({ id }, { replace: state.id !== '' && id !== '' })}
        tasks={list.items ?? []}
      />
    </ListPage>
  );
}
