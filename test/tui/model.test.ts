/** The parts of the dashboard that do not depend on a terminal. */
import { expect, test, vi } from 'vitest';
import { bar, columnLines, sparkline } from '../../src/tui/model/charts.ts';
import { type Column, fitColumns } from '../../src/tui/model/columns.ts';
import {
  completeCommand,
  parseCommand,
  similarCommands,
} from '../../src/tui/model/command-line.ts';
import { matches, parseFilter, splitFilter } from '../../src/tui/model/filter.ts';
import { wrapped } from '../../src/tui/model/line.ts';
import {
  currentRow,
  emptyList,
  type ListShape,
  MAX_ROWS,
  marked,
  markedTo,
  movedBy,
  reversed,
  selectedRows,
  sortedByNext,
  windowOf,
  withRows,
} from '../../src/tui/model/list.ts';
import { durationText, nextDelayMs } from '../../src/tui/model/poll.ts';
import { textInput, textOf, withKey } from '../../src/tui/model/text-input.ts';
import { openerFor } from '../../src/tui/system.ts';

test('filters on the server where supported, and locally otherwise', () => {
  const terms = parseFilter('status:on model:"gpt 4o" !azure plain name:');
  expect(terms).toEqual([
    { field: 'status', value: 'on', not: false },
    { field: 'model', value: 'gpt 4o', not: false },
    { field: undefined, value: 'azure', not: true },
    { field: undefined, value: 'plain', not: false },
  ]);
  const server = {
    '*': (keyword: string) => ({ keyword }),
    status: (word: string) => (word === 'on' ? { status: 1 } : undefined),
  };
  const { query, rest } = splitFilter(terms, server);
  expect(query).toEqual({ status: 1, keyword: 'plain' });
  expect(rest.map(({ value }) => value)).toEqual(['gpt 4o', 'azure']);
  const row = (field: string | undefined) => (field === 'model' ? 'GPT 4o mini' : 'all of it');
  expect(matches(rest, row)).toBe(true);
  expect(matches(parseFilter('!model:gpt'), row)).toBe(false);
});

interface Row {
  readonly id: number;
  readonly name: string;
}

const SHAPE: ListShape<Row> = {
  columns: [
    { key: 'id', width: 4, shown: ({ id }) => ({ text: String(id) }), order: ({ id }) => id },
    { key: 'name', width: 8, shown: ({ name }) => ({ text: name }) },
  ],
  filters: {},
  id: ({ id }) => id,
};
const rowsTo = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `row ${count - index}` }));

test('renders only as many of 10,000 rows as fit', () => {
  const shown = vi.fn(({ name }: Row) => ({ text: name }));
  const shape = { ...SHAPE, columns: [{ key: 'name', width: 8, shown }] };
  let list = withRows(emptyList<Row>(), shape, rowsTo(20_000), 20_000);
  expect(list.rows.length).toBe(MAX_ROWS);
  expect(shown).not.toHaveBeenCalled();
  list = movedBy(list, 5000);
  const { start, rows } = windowOf(list, 20);
  expect(rows.length).toBe(20);
  expect(rows[list.cursor - start]).toBe(currentRow(list));
  expect(windowOf(movedBy(list, MAX_ROWS), 20).rows.at(-1)?.id).toBe(MAX_ROWS);
});

test('the cursor stays on its row when rows change, and at the top if it was there', () => {
  const list = movedBy(withRows(emptyList<Row>(), SHAPE, rowsTo(10), 10), 4);
  const fresh = { id: 99, name: 'fresh' };
  expect(currentRow(withRows(list, SHAPE, [fresh, ...list.rows], 11))?.id).toBe(5);
  expect(currentRow(withRows(list, SHAPE, list.rows.slice(0, 3), 3))?.id).toBe(3);
  const top = withRows(emptyList<Row>(), SHAPE, rowsTo(3), 3);
  expect(currentRow(withRows(top, SHAPE, [fresh, ...top.rows], 4))?.id).toBe(99);
});

test('sorts rows by each column in both directions, then restores their order', () => {
  let list = withRows(emptyList<Row>(), SHAPE, rowsTo(3), 3);
  const ids = () => list.shown.map(({ id }) => id);
  list = reversed(sortedByNext(list, SHAPE), SHAPE);
  expect(ids()).toEqual([3, 2, 1]);
  list = sortedByNext(list, SHAPE);
  expect(list.shown.map(({ name }) => name)).toEqual(['row 1', 'row 2', 'row 3']);
  list = sortedByNext(list, SHAPE);
  expect(ids()).toEqual([1, 2, 3]);
});

test('an action applies to the marked rows, or to the row under the cursor', () => {
  const list = withRows(emptyList<Row>(), SHAPE, rowsTo(9), 9);
  expect(selectedRows(list, SHAPE).map(({ id }) => id)).toEqual([1]);
  const range = markedTo(movedBy(marked(movedBy(list, 2), SHAPE), 2), SHAPE);
  expect(selectedRows(range, SHAPE).map(({ id }) => id)).toEqual([3, 4, 5, 6]);
});

test('hides columns by rank when they do not fit, and shares the rest of the width', () => {
  const column = (key: string, width: number, more: Partial<Column<Row>> = {}): Column<Row> => ({
    key,
    width,
    shown: () => ({ text: '' }),
    ...more,
  });
  const columns = [column('a', 10), column('b', 10, { grow: 1 }), column('c', 10, { drop: 1 })];
  const longest: Record<string, number> = {};
  const fitting = (width: number, hidden: string[] = []) =>
    fitColumns(columns, new Set(hidden), width, ({ key }) => longest[key] ?? 10).map((each) => [
      each.column.key,
      each.width,
    ]);
  expect(fitting(40)).toEqual([
    ['a', 10],
    ['b', 18],
    ['c', 10],
  ]);
  expect(fitting(31).map(([key]) => key)).toEqual(['a', 'b']);
  expect(fitting(40, ['a']).map(([key]) => key)).toEqual(['b', 'c']);
  expect(fitting(14)).toEqual([
    ['a', 10],
    ['b', 3],
  ]);
  // A column of short texts leaves its cells to one whose texts are cut.
  Object.assign(longest, { a: 14, c: 1 });
  expect(fitting(31)).toEqual([
    ['a', 14],
    ['b', 10],
    ['c', 5],
  ]);
  expect(fitting(40)).toEqual([
    ['a', 14],
    ['b', 14],
    ['c', 10],
  ]);
});

test('wraps text by terminal cells', () => {
  expect(wrapped('中文abc', 4)).toEqual(['中文', 'abc']);
});

test('edits text by user-perceived character', () => {
  const press = (text: string, ...keys: string[]) =>
    textOf(keys.reduce((input, key) => withKey(input, key), textInput(text)));
  expect(press('a👩‍💻', 'backspace')).toBe('a');
  expect(press('bc', 'home', 'a')).toBe('abc');
  expect(press('one two', 'ctrl+w', 'paste:three\n4')).toBe('one three 4');
  expect(press('ab', 'left', 'delete', 'pageup', 'space')).toBe('a ');
});

test('a mistyped command suggests those that look like it', () => {
  expect(similarCommands('chanels status:on')).toEqual(['channels']);
  expect(similarCommands('qiut')).toEqual(['quit']);
  expect(similarCommands('xyz')).toEqual([]);
});

test('the command line knows screens, languages and keys by name', () => {
  expect(parseCommand('user alice vip')).toEqual({
    kind: 'open',
    screen: 'users',
    filter: 'alice vip',
  });
  expect(parseCommand('lang zh')).toEqual({ kind: 'language', language: 'zh' });
  expect(parseCommand('quit')).toEqual({ kind: 'key', key: 'q' });
  expect(parseCommand('lang fr')).toBeUndefined();
  const fields = () => ['status', 'type'];
  expect(completeCommand('ch', fields).text).toBe('channels ');
  expect(completeCommand('channels st', fields).text).toBe('channels status:');
  expect(completeCommand('pa', fields).choices).toEqual(['pause']);
});

test('failures double the delay up to 30 seconds, and the server may request a longer one', () => {
  expect([0, 1, 3, 9].map((failures) => nextDelayMs(2000, failures))).toEqual([
    2000, 4000, 16_000, 30_000,
  ]);
  expect(nextDelayMs(2000, 1, 60)).toBe(60_000);
  expect([durationText(12), durationText(3723)]).toEqual(['00:12', '1:02:03']);
});

test('charts draw proportions, and every nonzero value is visible', () => {
  expect(sparkline([0, 5, 10], 8)).toBe('▁▅█');
  expect(sparkline([0, 0], 8)).toBe('▁▁');
  expect([bar(1, 1000, 6), bar(1000, 1000, 6), bar(0, 1000, 6)]).toEqual(['█', '██████', '']);
  expect(columnLines([0, 1, 8, 4], { width: 4, height: 2 })).toEqual(['  █', ' ▂██']);
  expect(columnLines([1, 2], { width: 6, height: 1 })).toEqual(['▄▄ ██']);
  expect(columnLines([9, 1, 2], { width: 2, height: 1 })).toEqual(['▄█']);
});

test('opens a browser on a desktop only', () => {
  expect(openerFor('linux', { DISPLAY: ':0' })).toBe('xdg-open');
  expect(openerFor('linux', {})).toBeUndefined();
  expect(openerFor('darwin', { SSH_CONNECTION: '1' })).toBeUndefined();
});
