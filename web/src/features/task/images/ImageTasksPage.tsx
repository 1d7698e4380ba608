import { Box, Card, Group, SegmentedControl, Text, UnstyledButton } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ColumnSettings } from '../../../components/data-table/ColumnSettings.tsx';
import { DataTable } from '../../../components/data-table/DataTable.tsx';
import { Pager } from '../../../components/data-table/Pager.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import { Empty, FeatureOff, NoMatch } from '../../../components/layout/list-states.tsx';
import { PageHeader } from '../../../components/layout/PageHeader.tsx';
import { imageTaskKeys } from '../../../lib/api/query-keys.ts';
import { useUrlState } from '../../../lib/browser/url-state.ts';
import { useIsAdmin } from '../../../lib/session/session.ts';
import { useStatus } from '../../../lib/site/status.ts';
import { type ImageTask, listImageTasks } from '../calls.ts';
import { ImageTaskState } from '../cells.tsx';
import { IMAGE_TASK_FIELDS, imageTaskQuery, type TaskChoice } from '../filter.ts';
import { isRunning } from '../states.ts';
import classes from '../Task.module.css';
import { TaskFilters } from '../TaskFilters.tsx';
import { SERVER_PAGE_SIZE, useIncrementalList } from '../useIncrementalList.ts';
import { ImageTaskDetail } from './ImageTaskDetail.tsx';
import { useImageTaskColumns } from './image-columns.tsx';
import { Lightbox } from './Lightbox.tsx';
import { mediaUrl } from './media.ts';
import { Picture } from './Picture.tsx';

/** The log of image tasks. */
export function ImageTasksPage() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const status = useStatus();
  const { state, set, reset, isNarrowed } = useUrlState(IMAGE_TASK_FIELDS);
  const { task, channel, from, to } = state;
  const choice = useMemo(
    (): TaskChoice => ({ task, channel, from, to }),
    [task, channel, from, to],
  );
  const list = useImageTasks(choice, isAdmin, state.page, (page) => set({ page }));
  const columns = useImageTaskColumns(isAdmin, ({ id }) => set({ id: String(id) }));
  const isOff = status?.enable_drawing === false;
  const name = t('nav.drawing');
  return (
    <>
      <PageHeader title={name} hint={t('task.image.hint')} />
      {isAdmin && status?.mj_notify_enabled === false && !isOff && (
        <Box mb="sm">
          <Notice tone="yellow">{t('task.image.noCallback')}</Notice>
        </Box>
      )}
      <TaskFilters
        state={state}
        set={set}
        reset={reset}
        usualFrom="30d"
        isAdmin={isAdmin}
        tools={
          <>
            <ViewSwitch view={state.view} onView={(view) => set({ view })} />
            {state.view === 'table' && <ColumnSettings id="drawing" columns={columns} />}
          </>
        }
      />
      {state.view === 'gallery' && list.rows.length > 0 ? (
        <Card padding="sm">
          <Gallery imageTasks={list.rows} onOpen={({ id }) => set({ id: String(id) })} />
          <Pager {...list.tableProps.paging} />
        </Card>
      ) : (
        <DataTable
          {...list.tableProps}
          id="drawing"
          label={name}
          rowId={(row) => row.id}
          columns={columns}
          detail={detail}
          empty={
            isOff ? (
              <FeatureOff name={name} settings="operation" />
            ) : isNarrowed ? (
              <NoMatch onClear={reset} />
            ) : (
              <Empty title={t('task.image.none')} text={t('task.image.none.text')} />
            )
          }
        />
      )}
      <LoadedNote loaded={list.loaded} total={list.total} />
      <Lightbox
        id={state.id}
        onId={(id) => set({ id }, { replace: state.id !== '' && id !== '' })}
        imageTasks={list.rows.filter((row) => mediaUrl(row.image_url) !== '')}
      />
    </>
  );
}

// One function for all renders, so that rows do not re-render.
const detail = (imageTask: ImageTask) => <ImageTaskDetail imageTask={imageTask} />;

function useImageTasks(
  choice: TaskChoice,
  isAdmin: boolean,
  page: number,
  onPage: (page: number) => void,
) {
  return useIncrementalList({
    key: imageTaskKeys.list({ choice, isAdmin }),
    fetch: (serverPage, signal) => {
      const nowSec = Math.floor(Date.now() / 1000);
      const paging = { p: serverPage, page_size: SERVER_PAGE_SIZE };
      return listImageTasks(
        isAdmin,
        { ...imageTaskQuery(choice, isAdmin, nowSec), ...paging },
        signal,
      );
    },
    page,
    onPage,
    isRunning: (row) => isRunning(row.status),
  });
}

interface ViewSwitchProps {
  readonly view: 'table' | 'gallery';
  readonly onView: (view: 'table' | 'gallery') => void;
}

function ViewSwitch({ view, onView }: ViewSwitchProps) {
  const { t } = useTranslation();
  return (
    <SegmentedControl
      aria-label={t('common.view')}
      value={view}
      onChange={(next) => onView(next === 'gallery' ? 'gallery' : 'table')}
      data={[
        { value: 'table', label: t('common.table') },
        { value: 'gallery', label: t('task.view.gallery') },
      ]}
    />
  );
}

/** More rows are loaded at the last page, while the total is known from the start. */
export function LoadedNote({ loaded, total }: { readonly loaded: number; readonly total: number }) {
  const { t } = useTranslation();
  if (loaded >= total) return null;
  return <Dimmed mt="xs">{t('task.loaded', { loaded, total })}</Dimmed>;
}

interface GalleryProps {
  readonly imageTasks: readonly ImageTask[];
  readonly onOpen: (imageTask: ImageTask) => void;
}

/** The page's image tasks as a gallery. */
function Gallery({ imageTasks, onOpen }: GalleryProps) {
  const { t } = useTranslation();
  return (
    <div className={classes.gallery}>
      {imageTasks.map((imageTask) => {
        const address = mediaUrl(imageTask.image_url);
        return (
          <article key={imageTask.id} aria-label={imageTask.prompt}>
            {address === '' ? (
              <div className={classes.tile}>
                <Picture address="" iconSize={32} />
              </div>
            ) : (
              <UnstyledButton
                className={classes.tile}
                aria-label={t('task.image.open', { id: imageTask.mj_id })}
                onClick={() => onOpen(imageTask)}
              >
                <Picture address={address} iconSize={32} />
              </UnstyledButton>
            )}
            <Text truncate mt={6} data-hint={imageTask.prompt}>
              {imageTask.prompt || '-'}
            </Text>
            <Group justify="space-between" gap={4} mt={2}>
              <ImageTaskState status={imageTask.status} />
              <Dimmed>
                <RelativeTime at={imageTask.submit_time / 1000} />
              </Dimmed>
            </Group>
          </article>
        );
      })}
    </div>
  );
}
