import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../../components/data-table/columns.ts';
import { CopyText } from '../../../components/display/copy.tsx';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import { Tag } from '../../../components/display/Tag.tsx';
import type { ImageTask } from '../calls.ts';
import {
  Action,
  Duration,
  ImageTaskState,
  OneLineText,
  ProgressCell,
  SubmittedAt,
  TaskUser,
} from '../cells.tsx';
import { costColumn } from '../cost-column.tsx';
import classes from '../Task.module.css';
import { mediaUrl } from './media.ts';
import { Picture } from './Picture.tsx';

/** The columns of the image task log; the channel is for administrators only. */
export function useImageTaskColumns(
  isAdmin: boolean,
  onOpen: (imageTask: ImageTask) => void,
): readonly Column<ImageTask>[] {
  return [...useCourse(isAdmin), ...useResult(onOpen)].filter((column) => column !== false);
}

type Columns = readonly (Column<ImageTask> | false)[];

function useCourse(isAdmin: boolean): Columns {
  const { t } = useTranslation();
  return [
    {
      key: 'submit_time',
      title: t('task.submitted'),
      width: 104,
      isFixed: true,
      card: 'title',
      render: ({ submit_time: at }) => <RelativeTime at={at / 1000} />,
    },
    {
      key: 'duration',
      title: t('task.duration'),
      width: 110,
      priority: 4,
      render: (row) => <Duration fromMs={row.submit_time} toMs={row.finish_time} />,
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
      width: 76,
      priority: 3,
      card: 'none',
      render: ({ channel_id: id }) => id !== 0 && <Tag>#{id}</Tag>,
    },
    {
      key: 'action',
      title: t('task.action'),
      width: 134,
      priority: 5,
      render: ({ action }) => <Action action={action} />,
    },
    {
      key: 'mj_id',
      title: t('task.id'),
      width: 196,
      card: 'none',
      render: ({ mj_id: id }) => <CopyText text={id} />,
    },
    {
      key: 'code',
      title: t('task.code'),
      width: 150,
      priority: 2,
      card: 'none',
      render: ({ code }) => <SubmittedAt code={code} />,
    },
    {
      key: 'status',
      title: t('task.status'),
      width: 140,
      card: 'status',
      render: ({ status }) => <ImageTaskState status={status} />,
    },
    {
      key: 'progress',
      title: t('task.progress'),
      width: 134,
      render: (row) => (
        <ProgressCell progress={row.progress} hasFailed={row.status === 'FAILURE'} />
      ),
    },
  ];
}

function useResult(onOpen: (imageTask: ImageTask) => void): Columns {
  const { t } = useTranslation();
  return [
    costColumn(t),
    {
      key: 'image',
      title: t('task.image'),
      width: 64,
      card: 'none',
      render: (row) => <Thumb imageTask={row} onOpen={onOpen} />,
    },
    {
      key: 'prompt',
      title: t('task.prompt'),
      width: 170,
      isWide: true,
      render: ({ prompt }) => prompt !== '' && <OneLineText text={prompt} />,
    },
    {
      key: 'prompt_en',
      title: t('task.promptEn'),
      width: 170,
      priority: 1,
      isWide: true,
      card: 'none',
      render: ({ prompt_en: text }) => <OneLineText text={text} />,
    },
    {
      key: 'fail_reason',
      title: t('task.failReason'),
      width: 130,
      isWide: true,
      render: ({ fail_reason: text }) => text !== '' && <OneLineText text={text} />,
    },
  ];
}

interface ThumbProps {
  readonly imageTask: ImageTask;
  readonly onOpen: (imageTask: ImageTask) => void;
}

function Thumb({ imageTask, onOpen }: ThumbProps) {
  const { t } = useTranslation();
  const address = mediaUrl(imageTask.image_url);
  if (address === '') {
    return (
      <span className={classes.thumb}>
        <Picture address="" iconSize={18} />
      </span>
    );
  }
  return (
    <UnstyledButton
      className={classes.thumb}
      aria-label={t('task.image.open', { id: imageTask.mj_id })}
      onClick={() => onOpen(imageTask)}
    >
      <Picture address={address} iconSize={18} />
    </UnstyledButton>
  );
}
