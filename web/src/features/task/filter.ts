/** Filters of the two task logs, stored in the URL. */
import { field, momentSec, type StateOf } from '../../lib/browser/url-state.ts';
import type { ImageTaskQuery, TaskQuery } from './calls.ts';

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

type WithoutPage<Q> = Omit<Q, 'p' | 'page_size'>;

const HOUR_SEC = 3600;

export function imageTaskQuery(
  choice: TaskChoice,
  isAdmin: boolean,
  nowSec: number,
): WithoutPage<ImageTaskQuery> {
  const { start, end } = rangeOf(choice, nowSec);
  return {
    ...(choice.task !== '' && { mj_id: choice.task }),
    ...channelOf(choice, isAdmin),
    ...(start !== undefined && { start_timestamp: start * 1000 }),
    end_timestamp: end * 1000,
  };
}

export function taskQuery(
  choice: TaskChoice,
  isAdmin: boolean,
  nowSec: number,
): WithoutPage<TaskQuery> {
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
