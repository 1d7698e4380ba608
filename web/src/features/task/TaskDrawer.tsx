import { Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyButton, CopyText } from '../../components/display/copy.tsx';
import { Facts } from '../../components/display/Facts.tsx';
import { Notice } from '../../components/display/Notice.tsx';
import { FullTime } from '../../components/display/RelativeTime.tsx';
import { DetailDrawer } from '../../components/layout/DetailDrawer.tsx';
import { Empty } from '../../components/layout/list-states.tsx';
import type { TaskRow } from './calls.ts';
import { Action, Duration, TaskState } from './cells.tsx';
import { type Clip, clipsOf } from './images/media.ts';
import classes from './Task.module.css';

interface TaskDrawerProps {
  readonly id: string;
  readonly onId: (id: string) => void;
  readonly tasks: readonly TaskRow[];
}

/** The details of a task: request, result and the upstream's raw response. */
export function TaskDrawer({ id, onId, tasks }: TaskDrawerProps) {
  const { t } = useTranslation();
  const task = tasks.find((one) => String(one.id) === id);
  return (
    <DetailDrawer
      id={id}
      onId={onId}
      ids={tasks.map((one) => String(one.id))}
      title={task?.task_id ?? t('nav.tasks')}
    >
      {task === undefined ? <Empty title={t('task.gone')} /> : <TaskDetail task={task} />}
    </DetailDrawer>
  );
}

function TaskDetail({ task }: { readonly task: TaskRow }) {
  const { t } = useTranslation();
  const [submittedMs, finishedMs] = [task.submit_time * 1000, task.finish_time * 1000];
  return (
    <Stack gap="lg">
      <Facts
        facts={[
          [t('task.id'), <CopyText key="id" text={task.task_id} />],
          [t('task.platform'), task.platform],
          [t('task.action'), <Action key="action" action={task.action} />],
          [t('common.status'), <TaskState key="status" status={task.status} />],
          [t('task.submitted'), <FullTime key="submitted" at={task.submit_time} />],
          [t('task.finished'), <FullTime key="finished" at={task.finish_time} />],
          [t('task.duration'), <Duration key="duration" fromMs={submittedMs} toMs={finishedMs} />],
        ]}
      />
      {task.fail_reason !== '' && (
        <Notice tone="red" title={t('task.failReason')}>
          {task.fail_reason}
        </Notice>
      )}
      {clipsOf(task.data).map((clip) => (
        <ClipPlayer key={clip.key} clip={clip} />
      ))}
      <Raw title={t('task.request')} value={task.properties} />
      <Raw title={t('task.answer')} value={task.data} />
    </Stack>
  );
}

function ClipPlayer({ clip }: { readonly clip: Clip }) {
  const { t } = useTranslation();
  const name = clip.title || t('task.clip');
  return (
    <section className={classes.clip} aria-label={name}>
      <Text fw={500} mb={4}>
        {name}
      </Text>
      {clip.video === '' ? (
        // biome-ignore lint/a11y/useMediaCaption: generated songs have no captions
        <audio controls preload="none" src={clip.audio} aria-label={name} />
      ) : (
        <video
          controls
          preload="none"
          src={clip.video}
          aria-label={name}
          {...(clip.image !== '' && { poster: clip.image })}
        />
      )}
    </section>
  );
}

function Raw({ title, value }: { readonly title: string; readonly value: unknown }) {
  if (value === null || value === undefined || value === '') return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <section aria-label={title}>
      <Group gap={4} mb={4}>
        <Title order={2} fz={14}>
          {title}
        </Title>
        <CopyButton text={text} />
      </Group>
      <pre className={classes.raw}>{text}</pre>
    </section>
  );
}
