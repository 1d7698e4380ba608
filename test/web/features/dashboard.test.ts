import { expect, test, vi } from 'vitest';
import { OTHER_COLOUR } from '../../../web/src/components/charts/chart-data.ts';
import {
  bucketLabel,
  bucketStart,
  bucketStarts,
  changeOf,
  modelSeries,
  stepPoints,
} from '../../../web/src/features/dashboard/buckets.ts';
import {
  adminTasks,
  hasThreshold,
  userTasks,
} from '../../../web/src/features/dashboard/onboarding.ts';
import {
  DASHBOARD_FIELDS,
  dashboardQuery,
  entriesAddress,
  logAddress,
  spansOf,
} from '../../../web/src/features/dashboard/range.ts';
import { readState } from '../../../web/src/lib/browser/url-state.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Saturday, 21 November 2026, 12:34 local time. */
const NOW = new Date(2026, 10, 21, 12, 34).getTime() / 1000;
/** Ranges are whole hours. */
const NOON = NOW - 34 * 60;
const END = NOON + HOUR - 1;

function parsed(query: string, isAdmin = true, step: 'hour' | 'day' | 'week' = 'hour') {
  return dashboardQuery(
    readState(DASHBOARD_FIELDS, new URLSearchParams(query)),
    step,
    isAdmin,
    NOW,
  );
}

test('the site’s granularity holds until a reader chooses another, and brings its usual range', () => {
  expect(parsed('')).toMatchObject({ step: 'hour', startSec: NOON - DAY, endSec: END });
  expect(parsed('', true, 'day')).toMatchObject({ step: 'day', startSec: NOON - 7 * DAY });
  expect(parsed('', true, 'week')).toMatchObject({ step: 'week', startSec: NOON - 30 * DAY });
  expect(parsed('step=week&from=24h')).toMatchObject({ step: 'week', startSec: NOON - DAY });
});

test('only administrators may select a user', () => {
  expect(parsed('user=bob').user).toBe('bob');
  expect(parsed('user=bob', false).user).toBe('');
});

test('a range is at most 366 days, not backwards and not in the future', () => {
  expect(parsed('from=all').startSec).toBe(END + 1 - 366 * DAY);
  expect(parsed(`from=${NOW + DAY}&to=${NOW + 2 * DAY}`)).toMatchObject({
    startSec: NOON,
    endSec: END,
  });
});

test('one’s own usage of a longer span is asked for month by month, without a gap', () => {
  const spans = spansOf(0, 70 * DAY);
  expect(spans).toEqual([
    [0, 30 * DAY - 1],
    [30 * DAY, 60 * DAY - 1],
    [60 * DAY, 70 * DAY],
  ]);
});

test("buckets are hours, days, and weeks from Monday in the reader's time zone", () => {
  const local = (day: number, hour = 0) => new Date(2026, 10, day, hour).getTime() / 1000;
  expect(bucketStart(NOW, 'hour')).toBe(local(21, 12));
  expect(bucketStart(NOW, 'day')).toBe(local(21));
  expect(bucketStart(NOW, 'week')).toBe(local(16));
  expect(bucketStart(local(22), 'week')).toBe(local(16));
  expect(bucketStarts(local(20, 5), local(22), 'day')).toEqual([local(20), local(21), local(22)]);
  expect(bucketStarts(local(1), local(22), 'week')).toHaveLength(4);
  expect(bucketLabel(local(21, 9), 'hour', true)).toBe('09:00');
  expect(bucketLabel(local(21, 9), 'hour', false)).toBe('11-21 09:00');
});

function use(model: string, at: number, quota: number) {
  return {
    id: 0,
    user_id: 0,
    username: '',
    model_name: model,
    created_at: at,
    token_used: 1,
    count: 1,
    quota,
  };
}

test('hours without usage are drawn as zero, between others as at the ends', () => {
  const starts = bucketStarts(NOW - 3 * HOUR, NOW, 'hour');
  const made = modelSeries([use('a', NOW - 2 * HOUR, 7)], starts, 'hour', 'Other');
  expect(made.points.map(({ m0 }) => m0)).toEqual([0, 7, 0, 0]);
});

test('the ninth model and all after it are one series, last and grey, and nothing is lost', () => {
  const rows = Array.from({ length: 11 }, (_, index) => use(`gpt-${index}.5`, NOW, 100 - index));
  const made = modelSeries(rows, bucketStarts(NOW, NOW, 'hour'), 'hour', 'Other');

  expect(made.series).toHaveLength(9);
  expect(made.series.at(-1)).toMatchObject({ name: 'Other', colour: OTHER_COLOUR });
  expect(made.series.slice(0, 8).map(({ colour }) => colour)).not.toContain(OTHER_COLOUR);
  const total = rows.reduce((sum, { quota }) => sum + quota, 0);
  expect(made.sums.reduce((sum, one) => sum + one, 0)).toBe(total);
  const [point] = made.points;
  const drawn = made.series.reduce((sum, { key }) => sum + Number(point?.[key]), 0);
  expect(drawn).toBe(total);
});

test('a step in which nothing was measured leaves a gap instead of a zero', () => {
  const step = (p50: number | null) => ({
    start: NOW,
    calls: 0,
    errors: 0,
    quota: 0,
    tokens: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    cache_tokens: 0,
    error_rate: 0,
    latency: { p50, p95: null, p99: null },
    first_token: { p50: null, p95: null, p99: null },
  });
  const points = stepPoints([step(null), step(20)], 'hour', {
    p50: ({ latency }) => latency.p50,
    calls: ({ calls }) => calls,
  });
  expect(points[0]).not.toHaveProperty('p50');
  expect(points[0]).toHaveProperty('calls', 0);
  expect(points[1]).toHaveProperty('p50', 20);
});

test('shows a change only against a nonzero base', () => {
  expect(changeOf(3, 2)).toBe(0.5);
  expect(changeOf(3, 0)).toBeUndefined();
});

test('the way to the log keeps the range and the user', () => {
  const address = logAddress(parsed('user=bob&from=24h'), { model: 'gpt-4o' });
  expect(Object.fromEntries(new URL(address, 'http://x').searchParams)).toEqual({
    from: String(NOON - DAY),
    to: String(END),
    type: 'spend',
    user: 'bob',
    model: 'gpt-4o',
  });
});

test('a subject without a name has no way to the log, which would show all entries', () => {
  const filter = parsed('from=24h');
  expect(entriesAddress(filter, { token: 'ci', user: 'bob' })).toMatch(/user=bob&token=ci/);
  expect(entriesAddress(filter, { token: '', user: 'bob' })).toBeUndefined();
  expect(entriesAddress(filter, { channel: 0 })).toBeUndefined();
});

test('first steps are done by what there is, not by what was pressed', () => {
  const admin = {
    usesDefaultPassword: false,
    channels: 0,
    testedChannels: 0,
    unpriced: 0,
    tokens: 0,
    calls: 0,
  };
  const open = (tasks: readonly { name: string; isDone: boolean }[]) =>
    tasks.filter(({ isDone }) => !isDone).map(({ name }) => name);
  expect(open(adminTasks(admin))).toEqual(['channel', 'test', 'prices', 'token', 'request']);
  expect(
    open(adminTasks({ ...admin, channels: 2, testedChannels: 1, tokens: 1, calls: 4 })),
  ).toEqual([]);
  const user = { tokens: 1, calls: 0, hasThreshold: false, hasEmail: true };
  expect(open(userTasks(user))).toEqual(['snippet', 'call', 'threshold']);
  expect(hasThreshold('{"quota_warning_threshold":500000}')).toBe(true);
  expect(['', '{}', '{broken', 'null'].some(hasThreshold)).toBe(false);
});

test('eight names have eight colours, and a ninth shares one', async () => {
  vi.resetModules();
  const { seriesColour } = await import('../../../web/src/components/charts/chart-data.ts');
  const names = Array.from({ length: 8 }, (_, index) => `model ${index}`);
  const colours = names.map(seriesColour);
  expect(new Set(colours).size).toBe(8);
  expect(colours).toContain(seriesColour('model 9'));
  expect(names.map(seriesColour)).toEqual(colours);
});
