import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../../components/data-table/columns.ts';
import { CopyText } from '../../../components/display/copy.tsx';
import type { ImageTask } from '../calls.ts';
import { ImageTaskState, OneLineText, SubmittedAt } from '../cells.tsx';
import { sharedColumns } from '../common-columns.tsx';
import classes from '../Task.module.css';
import { mediaUrl } from './media.ts';
import { Picture } from './Picture.tsx';

/** The columns of the image task log; user and channel are for administrators only. */
export function useImageTaskColumns(
  isAdmin: boolean,
  onOpen: (imageTask: ImageTask) => void,
): readonly Column<ImageTask>[] {
  const { t } = useTranslation();
  const shared = sharedColumns<ImageTask>(t, {
    timeUnitMs: 1,
    state: (status) => <ImageTaskState status={status} />,
  });
  return [
    shared.submitted,
    shared.duration,
    ...(isAdmin ? [shared.user, shared.channel] : []),
    shared.action,
    {
      key: 'mj_id',
      title: t('task.id'),
      width: 196,
      priority: 6,
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
    shared.status,
    shared.progress,
    shared.cost,
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
      width: 148,
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
    // Beside the prompt and the result.
    { ...shared.failReason, width: 114 },
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
