import { expect, test, vi } from 'vitest';
import {
  type ChartPoint,
  chartRows,
  csvText,
  largestIn,
  seriesColour,
} from '../../../web/src/components/charts/chart-data.ts';
import {
  type Column,
  chosenColumns,
  columnsThatDoNotFit,
  widthsOf,
} from '../../../web/src/components/data-table/columns.ts';
import { ratioTone, responseTone, toneOf } from '../../../web/src/components/display/tones.ts';
import {
  isJsonObject,
  readFlatMap,
  typedValue,
  withEntry,
} from '../../../web/src/components/forms/json-problems.ts';
import { passwordStrength } from '../../../web/src/features/setup/strength.ts';
import {
  beginTelegram,
  endTelegram,
  ownTelegramAnswer,
  TELEGRAM_STATE,
  telegramAnswer,
} from '../../../web/src/lib/session/telegram.ts';
import { durationText, monthText, relativeText } from '../../../web/src/lib/text/dates.ts';
import en from '../../../web/src/locales/en/core.json';
import zh from '../../../web/src/locales/zh/core.json';

test.each([
  [0, 'grey'],
  [1_000, 'green'],
  [1_001, 'lime'],
  [3_000, 'lime'],
  [3_001, 'yellow'],
  [5_000, 'yellow'],
  [5_001, 'red'],
] as const)('a response after %i ms is %s', (ms, tone) => expect(responseTone(ms)).toBe(tone));

test.each([
  [1, 'green'],
  [1.01, 'blue'],
  [3, 'blue'],
  [3.01, 'orange'],
  [5, 'orange'],
  [5.01, 'red'],
] as const)('a ratio of %f is %s', (ratio, tone) => expect(ratioTone(ratio)).toBe(tone));

test('the largest value of a stacked chart is the largest sum', () => {
  const points: ChartPoint[] = [
    { x: '1', a: 3, b: 4 },
    { x: '2', a: 5 },
  ];
  const series = ['a', 'b'].map((key) => ({ key, name: key, colour: '' }));
  expect(largestIn({ kind: 'stacked-bars', points, series })).toBe(7);
  expect(largestIn({ kind: 'lines', points, series })).toBe(5);
  expect(largestIn({ kind: 'lines', points: [{ x: '1', a: -6 }], series })).toBe(6);
  expect(largestIn({ kind: 'donut', slices: [{ name: 'a', value: 2, colour: '' }] })).toBe(2);
  expect(largestIn({ kind: 'lines', points: [], series: [] })).toBe(0);
});

test('the same name always has the same tone and colour', () => {
  expect(toneOf('vip')).toBe(toneOf('vip'));
  expect(seriesColour('gpt-4o')).toBe(seriesColour('gpt-4o'));
  expect(seriesColour('gpt-4o')).toMatch(/^var\(--series-[1-8]\)$/);
});

const columns = ['a', 'b', 'c', 'new'].map(
  (key): Column<unknown> => ({ key, title: key, render: () => null, isFixed: key === 'a' }),
);
const shown = (order: string[], hidden: string[]) =>
  chosenColumns(columns, { order, hidden }).map(({ key }) => key);

test('columns keep the chosen order, and a column of a later release is added', () => {
  expect(shown(['a', 'c', 'b'], [])).toEqual(['a', 'c', 'b', 'new']);
  expect(shown(['a', 'b', 'c'], ['b'])).toEqual(['a', 'c', 'new']);
});

test('a fixed column cannot be hidden, and an unknown column name is ignored', () => {
  expect(shown(['gone', 'a'], ['a', 'gone'])).toContain('a');
});

const column = (key: string, width: number, more: Partial<Column<unknown>> = {}) =>
  ({ key, title: key, render: () => null, width, ...more }) satisfies Column<unknown>;

test('hides columns of the lowest priority first, and never those without a priority', () => {
  const all = [
    column('id', 50, { priority: 1 }),
    column('name', 100),
    column('group', 60, { priority: 2 }),
    column('note', 70, { priority: 1 }),
  ];
  expect(columnsThatDoNotFit(all, 280, {})).toEqual([]);
  expect(columnsThatDoNotFit(all, 279, {})).toEqual(['note']);
  expect(columnsThatDoNotFit(all, 209, {})).toEqual(['note', 'id']);
  expect(columnsThatDoNotFit(all, 10, {})).toEqual(['note', 'id', 'group']);
  expect(columnsThatDoNotFit(all, 280, { name: 101 })).toEqual(['note']);
});

test('wide columns share the remaining width, else the widest takes it, a pinned one last', () => {
  const id = column('id', 50);
  const name = column('name', 300, { pin: 'left' });
  const kind = column('kind', 90);
  const note = column('note', 80, { isWide: true });
  expect(widthsOf([id, note, { ...kind, isWide: true }], 321, {})).toEqual({
    id: 50,
    note: 131,
    kind: 140,
  });
  expect(widthsOf([id, name, kind], 500, {})).toEqual({ id: 50, name: 300, kind: 150 });
  expect(widthsOf([name], 500, {})).toEqual({ name: 500 });
  expect(widthsOf([id, note], 100, {})).toEqual({ id: 50, note: 80 });
});

test('a resized column keeps its width, and the others share the rest', () => {
  const all = [column('id', 50), column('note', 80, { isWide: true })];
  expect(widthsOf(all, 300, { note: 120 })).toEqual({ id: 180, note: 120 });
  expect(widthsOf(all, 300, { note: 1 })).toEqual({ id: 260, note: 40 });
});

test('exports chart data as rows and as CSV that runs no formulas in a spreadsheet', () => {
  const { head, rows } = chartRows({
    kind: 'bars',
    series: [{ key: 'calls', name: '=evil()', colour: '' }],
    points: [
      { x: 'Mon, 1', calls: 3 },
      { x: '"Tue"', calls: 0 },
    ],
  });
  expect(csvText(head, rows)).toBe(',\'=evil()\r\n"Mon, 1",3\r\n"""Tue""",0');
});

test('shows a table only for a flat map of texts and numbers', () => {
  expect(readFlatMap('{"a":1,"b":"x"}')).toEqual({ a: 1, b: 'x' });
  expect(readFlatMap('')).toEqual({});
  for (const text of ['[]', '{"a":{}}', '{', '7', 'null'])
    expect(readFlatMap(text), text).toBeUndefined();
});

test('edits an entry in place', () => {
  expect(Object.keys(withEntry({ a: 1, b: 2 }, 0, ['z', 5]))).toEqual(['z', 'b']);
  expect(typedValue('2.5', true)).toBe(2.5);
  expect(typedValue('2.5', false)).toBe('2.5');
  expect(typedValue('abc', true)).toBe('abc');
});

test('reads an empty text as an empty object, and refuses a list', () => {
  expect(isJsonObject(' ')).toBe(true);
  expect(isJsonObject('{"a":[]}')).toBe(true);
  expect(isJsonObject('[]')).toBe(false);
});

test('durations and distances have readable units', () => {
  const inWords = (
    texts: Pick<typeof en, `duration.${'h' | 'min' | 's'}`>,
    times: readonly number[],
  ) =>
    times.map((ms) =>
      durationText(ms, (unit, count) => texts[`duration.${unit}`].replace('{{count}}', `${count}`)),
    );
  expect(inWords(en, [820, 3_200, 125_000])).toEqual(['820 ms', '3.2 s', '2 min 5 s']);
  expect(inWords(en, [999.6, 59_960, 3_599_600])).toEqual(['1.0 s', '1 min', '1 h']);
  expect(inWords(en, [300_000, 3_600_000, 3_720_000])).toEqual(['5 min', '1 h', '1 h 2 min']);
  const inChinese = inWords(zh, [820, 3_200, 125_000, 29_280_000]);
  expect(inChinese).toEqual(['820 ms', '3.2 秒', '2 分 5 秒', '8 小时 8 分']);
  expect(relativeText(1_000 - 180, 1_000, 'en')).toBe('3 min. ago');
  expect(relativeText(1_000 + 172_800, 1_000, 'en')).toBe('in 2 days');
  expect(relativeText(1_000 - 180, 1_000, 'zh')).toBe('3 分钟前');
  expect(relativeText(1_000 + 259_200, 1_000, 'zh')).toBe('3 天后');
  expect(monthText(new Date(2026, 10, 24), 'zh')).toBe('2026 年 11 月');
});

test('a longer and more varied password is stronger', () => {
  const strengths = ['', 'short', 'aaaaaaaaaaaa', 'abcdefgh', 'Abcdefg1', 'correct horse battery'];
  expect(strengths.map(passwordStrength)).toEqual([0, 1, 1, 2, 3, 4]);
});

test('accepts a widget callback URL only with id, time and hash', () => {
  const query = new URLSearchParams('id=7&auth_date=1&hash=ab&username=ann&returnTo=%2F');
  expect(telegramAnswer(query)).toEqual({ id: '7', auth_date: '1', hash: 'ab', username: 'ann' });
  expect(telegramAnswer(new URLSearchParams('id=7&hash=ab'))).toBeUndefined();
});

test('an answer of the widget counts only in the tab that asked, and only once', () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  const answer = new URLSearchParams('id=7&auth_date=1&hash=ab');
  expect(ownTelegramAnswer(answer)).toBeUndefined();
  answer.set(TELEGRAM_STATE, beginTelegram());
  expect(ownTelegramAnswer(answer)).toMatchObject({ id: '7' });
  expect(ownTelegramAnswer(new URLSearchParams('id=8&auth_date=1&hash=cd'))).toBeUndefined();
  endTelegram();
  expect(ownTelegramAnswer(answer)).toBeUndefined();
  vi.unstubAllGlobals();
});
