import { expect, test } from 'vitest';
import { DRAWING_ACTIONS } from '../../../src/domain/statuses.ts';
import {
  IMAGE_TASK_FIELDS,
  imageTaskQuery,
  TASK_FIELDS,
  taskQuery,
} from '../../../web/src/features/task/filter.ts';
import { clipsOf, mediaUrl } from '../../../web/src/features/task/images/media.ts';
import {
  durationTone,
  IMAGE_TASK_STATES,
  isRunning,
  percentOf,
  SUBMISSIONS,
  TASK_STATES,
} from '../../../web/src/features/task/states.ts';
import { pageOfRows, uniqueRows } from '../../../web/src/features/task/useIncrementalList.ts';
import { readState } from '../../../web/src/lib/browser/url-state.ts';
import en from '../../../web/src/locales/en/task.json' with { type: 'json' };

const NOW = 1_795_000_000;
const HOUR = 3600;

function imageTasks(query: string, isAdmin = true) {
  return imageTaskQuery(readState(IMAGE_TASK_FIELDS, new URLSearchParams(query)), isAdmin, NOW);
}

function tasks(query: string, isAdmin = true) {
  return taskQuery(readState(TASK_FIELDS, new URLSearchParams(query)), isAdmin, NOW);
}

test('imageTasks reach from 30 days ago to an hour from now, in milliseconds', () => {
  expect(imageTasks('')).toEqual({
    start_timestamp: (NOW - 30 * 24 * HOUR) * 1000,
    end_timestamp: (NOW + HOUR) * 1000,
  });
});

test('the default range of tasks begins today', () => {
  const midnight = new Date(NOW * 1000).setHours(0, 0, 0, 0) / 1000;
  expect(tasks('')).toEqual({ start_timestamp: midnight, end_timestamp: NOW + HOUR });
});

test('only an administrator’s question names a channel', () => {
  expect(imageTasks('task=17&channel=3')).toMatchObject({ mj_id: '17', channel_id: 3 });
  expect(tasks('task=t-1&channel=3')).toMatchObject({ task_id: 't-1', channel_id: 3 });
  expect(imageTasks('channel=3', false)).not.toHaveProperty('channel_id');
  expect(tasks('channel=3', false)).not.toHaveProperty('channel_id');
});

test('all sixteen imageTask actions, both kinds of states and the submit codes have words', () => {
  expect(DRAWING_ACTIONS).toHaveLength(16);
  for (const action of DRAWING_ACTIONS) expect(en).toHaveProperty([`task.action.${action}`]);
  for (const state of [...Object.keys(IMAGE_TASK_STATES), ...Object.keys(TASK_STATES)])
    expect(en).toHaveProperty([`task.status.${state}`]);
  for (const code of Object.keys(SUBMISSIONS)) expect(en).toHaveProperty([`task.code.${code}`]);
  expect(Object.entries(SUBMISSIONS).map(([code, [tone]]) => `${code} ${tone}`)).toEqual([
    '0 yellow',
    '1 green',
    '21 lime',
    '22 orange',
  ]);
  expect(en['task.status.submitting']).toBe('Being submitted');
});

test('a duration is red beyond a minute', () => {
  expect(durationTone(60_000)).toBe('green');
  expect(durationTone(60_001)).toBe('red');
});

test('what has ended is not read again', () => {
  expect(['', 'NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS'].every(isRunning)).toBe(true);
  expect(['SUCCESS', 'FAILURE', 'UNKNOWN', 'MODAL'].some(isRunning)).toBe(false);
});

test('shows progress only if it is written as a percentage', () => {
  expect(['43%', '100%', '101%', '', 'half', ' 7% '].map(percentOf)).toEqual([
    43,
    100,
    undefined,
    undefined,
    undefined,
    7,
  ]);
});

test('the pager turns the pages of the loaded rows, and the last page loads more', () => {
  const rows = Array.from({ length: 25 }, (_, id) => ({ id }));
  expect(pageOfRows(rows, 1, 10)).toMatchObject({ page: 1, isLast: false });
  expect(pageOfRows(rows, 3, 10)).toEqual({ page: 3, isLast: true, rows: rows.slice(20) });
  expect(pageOfRows(rows, 9, 10).page).toBe(3);
  expect(pageOfRows([], 1, 10)).toEqual({ page: 1, isLast: true, rows: [] });
});

test('shows a row once when new rows push it onto the next page', () => {
  const pages = [
    { items: [{ id: 3 }, { id: 2 }], total: 3 },
    { items: [{ id: 2 }, { id: 1 }], total: 3 },
  ];
  expect(uniqueRows(pages).map(({ id }) => id)).toEqual([3, 2, 1]);
});

test('only URLs that can be fetched or displayed count as media', () => {
  expect(mediaUrl('https://a.example/x.png')).toBe('https://a.example/x.png');
  expect(mediaUrl('/mj/image/1')).toBe('/mj/image/1');
  expect(['javascript:alert(1)', 'data:text/html,x', 'x.png'].map(mediaUrl)).toEqual(['', '', '']);
  expect(
    clipsOf([
      { id: 'a', title: 'Song', audio_url: 'https://a.example/a.mp3' },
      { id: 'b', audio_url: '' },
      'noise',
    ]),
  ).toEqual([{ key: 'a', title: 'Song', audio: 'https://a.example/a.mp3', video: '', image: '' }]);
  expect(clipsOf('text')).toEqual([]);
});
