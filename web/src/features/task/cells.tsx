import { Anchor, Group, Progress, Text, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { DRAWING_ACTIONS, MUSIC_ACTIONS } from '../../../../src/domain/statuses.ts';
import cells from '../../components/data-table/cells.module.css';
import { QuotaText } from '../../components/display/QuotaText.tsx';
import { StateTag } from '../../components/display/StatusBadge.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { linkTo } from '../../lib/browser/page-links.ts';
import { durationText } from '../../lib/text/dates.ts';
import {
  durationTone,
  IMAGE_TASK_STATES,
  keysOf,
  knownState,
  type Look,
  percentOf,
  SUBMISSIONS,
  TASK_STATES,
} from './states.ts';
import classes from './Task.module.css';

export function ImageTaskState({ status }: { readonly status: string }) {
  const { t } = useTranslation();
  const word = knownState(keysOf(IMAGE_TASK_STATES), status);
  if (word === undefined) return <Unknown word={status} />;
  return <Known look={IMAGE_TASK_STATES[word]}>{t(`task.status.${word}`)}</Known>;
}

/** Empty until the upstream reports a status. */
export function TaskState({ status }: { readonly status: string }) {
  const { t } = useTranslation();
  if (status === '') return <StateTag tone="teal">{t('task.status.submitting')}</StateTag>;
  const word = knownState(keysOf(TASK_STATES), status);
  if (word === undefined) return <Unknown word={status} />;
  return <Known look={TASK_STATES[word]}>{t(`task.status.${word}`)}</Known>;
}

export function SubmittedAt({ code }: { readonly code: number }) {
  const { t } = useTranslation();
  const known = ([1, 21, 22, 0] as const).find((one) => one === code);
  if (known === undefined) return <Unknown word={String(code)} />;
  return <Known look={SUBMISSIONS[known]}>{t(`task.code.${known}`)}</Known>;
}

function Known({
  look: [tone, shape],
  children,
}: {
  readonly look: Look;
  readonly children: string;
}) {
  return (
    <StateTag tone={tone} shape={shape}>
      {children}
    </StateTag>
  );
}

function Unknown({ word }: { readonly word: string }) {
  const { t } = useTranslation();
  return (
    <StateTag tone="grey" shape="warning" hint={word === '' ? undefined : word}>
      {t('status.unknown')}
    </StateTag>
  );
}

const ACTION_TONES = { MUSIC: 'violet', LYRICS: 'blue' } as const;

export function Action({ action }: { readonly action: string }) {
  const { t } = useTranslation();
  const imageTask = knownState(DRAWING_ACTIONS, action);
  const music = knownState(MUSIC_ACTIONS, action);
  if (music !== undefined) return <Tag tone={ACTION_TONES[music]}>{t(`task.action.${music}`)}</Tag>;
  return <Tag tone="blue">{imageTask === undefined ? action : t(`task.action.${imageTask}`)}</Tag>;
}

interface DurationProps {
  /** Milliseconds since the epoch; 0 is unset. */
  readonly fromMs: number;
  readonly toMs: number;
}

export function Duration({ fromMs, toMs }: DurationProps) {
  if (fromMs <= 0 || toMs < fromMs) return '-';
  const ms = toMs - fromMs;
  return <Tag tone={durationTone(ms)}>{durationText(ms)}</Tag>;
}

interface ProgressCellProps {
  readonly progress: string;
  readonly hasFailed: boolean;
}

export function ProgressCell({ progress, hasFailed }: ProgressCellProps) {
  const { t } = useTranslation();
  // Upstreams report a failed task as finished; how far it came is then unknown.
  const percent = percentOf(progress);
  if (hasFailed && percent === 100) return '-';
  if (percent === undefined) return progress || '-';
  return (
    <Group gap={6} wrap="nowrap" w={84}>
      <Progress
        value={percent}
        flex={1}
        aria-label={t('task.progress')}
        color={hasFailed ? 'danger' : percent === 100 ? 'success' : undefined}
      />
      <Text span size="xs" w={38} ta="right">
        {percent}%
      </Text>
    </Group>
  );
}

/** A text truncated to one line; hover and focus show all of it. */
export function OneLineText({ text }: { readonly text: string }) {
  if (text === '') return '-';
  return (
    <Tooltip label={text} maw={420}>
      <span className={cells.clipped}>{text}</span>
    </Tooltip>
  );
}

/** The account of a task; 0 is none. */
export function TaskUser({ id }: { readonly id: number }) {
  if (id === 0) return '-';
  return (
    <Anchor component={Link} to={linkTo('/admin/users', { id: String(id) })} inherit>
      #{id}
    </Anchor>
  );
}

interface TaskCostProps {
  readonly quota: number;
  readonly isRefunded: boolean;
}

export function TaskCost({ quota, isRefunded }: TaskCostProps) {
  const { t } = useTranslation();
  if (!isRefunded) return <QuotaText units={quota} />;
  return (
    <span className={classes.refunded}>
      <s>
        <QuotaText units={quota} />
      </s>
      <span>{t('task.refunded')}</span>
    </span>
  );
}
