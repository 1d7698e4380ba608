import { Box, Card, Group, SegmentedControl, Text, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Pager } from '../../../components/data-table/Pager.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import { ListPage } from '../../../components/layout/ListPage.tsx';
import { FeatureOff } from '../../../components/layout/list-states.tsx';
import { useUrlList } from '../../../hooks/useList.ts';
import { imageTaskKeys } from '../../../lib/api/query-keys.ts';
import { useUrlState } from '../../../lib/browser/url-state.ts';
import { useIsAdmin } from '../../../lib/session/session.ts';
import { useStatus } from '../../../lib/site/status.ts';
import { type ImageTask, listImageTasks } from '../calls.ts';
import { ImageTaskState } from '../cells.tsx';
import { IMAGE_TASK_FIELDS, taskChoiceOf, taskFilters } from '../filter.ts';
import { whileRunning } from '../states.ts';
import classes from '../Task.module.css';
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
  const url = useUrlState(IMAGE_TASK_FIELDS);
  const { state, set } = url;
  const filter = { ...taskChoiceOf(state), isAdmin };
  const list = useUrlList(imageTaskKeys, url, filter, listImageTasks, { refetchMs: whileRunning });
  const rows = list.items ?? [];
  const open = ({ id }: ImageTask) => set({ id: String(id) });
  const isOff = status?.enable_drawing === false;
  return (
    <ListPage
      {...list.tableProps}
      id="drawing"
      title={t('nav.drawing')}
      hint={t('task.image.hint')}
      above={
        isAdmin &&
        status?.mj_notify_enabled === false &&
        !isOff && (
          <Box mb="sm">
            <Notice tone="yellow">{t('task.image.noCallback')}</Notice>
          </Box>
        )
      }
      url={url}
      filters={taskFilters(t, isAdmin, '30d')}
      tools={<ViewSwitch view={state.view} onView={(view) => set({ view })} />}
      view={
        state.view === 'gallery' &&
        rows.length > 0 && (
          <Card padding="sm">
            <Gallery imageTasks={rows} onOpen={open} />
            {list.tableProps.paging && <Pager {...list.tableProps.paging} />}
          </Card>
        )
      }
      rowId={(row) => row.id}
      columns={useImageTaskColumns(isAdmin, open)}
      detail={detail}
      none={{ title: t('task.image.none'), text: t('task.image.none.text') }}
      empty={isOff && <FeatureOff name={t('nav.drawing')} settings="operation" />}
    >
      <Lightbox
        id={state.id}
        onId={(id) => set({ id }, { replace: state.id !== '' && id !== '' })}
        imageTasks={rows.filter((row) => mediaUrl(row.image_url) !== '')}
      />
    </ListPage>
  );
}

// One function for all renders, so that rows do not re-render.
const detail = (imageTask: ImageTask) => <ImageTaskDetail imageTask={imageTask} />;

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
            <Text size="sm" truncate mt={6} data-hint={imageTask.prompt}>
              {imageTask.prompt || '-'}
            </Text>
            <Group justify="space-between" gap={4} mt={2}>
              <ImageTaskState status={imageTask.status} />
              <Text size="xs" c="dimmed">
                <RelativeTime at={imageTask.submit_time / 1000} />
              </Text>
            </Group>
          </article>
        );
      })}
    </div>
  );
}
