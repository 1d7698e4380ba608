/** Filters of the two task logs, stored in the URL. */
import type { TFunction } from 'i18next';
import type { FilterRow } from '../../components/layout/ListFilters.tsx';
import { field, momentSec, type StateOf } from '../../lib/browser/url-state.ts';

/** Fields of both logs; their default ranges differ. */
const shared = {
  /** The task's own id, not the row's. */
  task: field.text(),
  /** Administrators only. */
  channel: field.number(),
  to: field.moment(),
  page: field.page(),
  id: field.id(),
};

export const IMAGE_TASK_FIELDS = {
  ...shared,
  from: field.moment('30d'),
  view: field.tab(['table', 'gallery'], 'table'),
};

export const TASK_FIELDS = { ...shared, from: field.moment('today') };

/** The filter fields. */
export type TaskChoice = Pick<StateOf<typeof TASK_FIELDS>, 'task' | 'channel' | 'from' | 'to'>;

/** The part of the state that changes which tasks are shown. */
export function taskChoiceOf({ task, channel, from, to }: TaskChoice): TaskChoice {
  return { task, channel, from, to };
}

/** @param usual the default range. */
export function taskFilters(
  t: TFunction,
  isAdmin: boolean,
  usual: string,
): readonly FilterRow<TaskChoice>[] {
  const channel = {
    input: 'number',
    field: 'channel',
    label: t('task.channelId'),
    width: 110,
  } as const;
  return [
    { input: 'range', usual },
    { input: 'text', field: 'task', label: t('task.id'), width: 220, isSearch: true },
    ...(isAdmin ? [channel] : []),
  ];
}

const HOUR_SEC = 3600;

/** In milliseconds, like all times of image tasks. */
export function imageTaskQuery(choice: TaskChoice, isAdmin: boolean, nowSec: number) {
  const { start, end } = rangeOf(choice, nowSec);
  return {
    ...(choice.task !== '' && { mj_id: choice.task }),
    ...channelOf(choice, isAdmin),
    ...(start !== undefined && { start_timestamp: start * 1000 }),
    end_timestamp: end * 1000,
  };
}

/** In seconds. */
export function taskQuery(choice: TaskChoice, isAdmin: boolean, nowSec: number) {
  const { start, end } = rangeOf(choice, nowSec);
  return {
    ...(choice.task !== '' && { task_id: choice.task }),
    ...channelOf(choice, isAdmin),
    ...(start !== undefined && { start_timestamp: start }),
    end_timestamp: end,
  };
}

/** The clocks of nodes differ, so a range without an end extends an hour past now. */
function rangeOf({ from, to }: TaskChoice, nowSec: number) {
  return { start: momentSec(from, nowSec), end: momentSec(to, nowSec) ?? nowSec + HOUR_SEC };
}

function channelOf({ channel }: TaskChoice, isAdmin: boolean): { readonly channel_id?: number } {
  return isAdmin && channel !== undefined ? { channel_id: channel } : {};
}
