import { expect, test } from 'vitest';
import { field, momentSec, readState, writeState } from '../../../web/src/lib/browser/url-state.ts';

const FIELDS = {
  q: field.text(),
  type: field.number(),
  group: field.texts(),
  from: field.moment('24h'),
  page: field.page(),
  sort: field.sort(['created_at', 'quota'], '-created_at'),
  tab: field.tab(['one', 'two'], 'one'),
  id: field.id(),
};

const read = (query: string) => readState(FIELDS, new URLSearchParams(query));
const write = (query: string, patch: Parameters<typeof writeState<typeof FIELDS>>[2]) =>
  writeState(FIELDS, new URLSearchParams(query), patch).toString();

test('an address without a query selects all defaults', () => {
  expect(read('')).toEqual({
    q: '',
    type: undefined,
    group: [],
    from: '24h',
    page: 1,
    sort: '-created_at',
    tab: 'one',
    id: '',
  });
});

test.each([
  ['page=0', 'page', 1],
  ['page=x', 'page', 1],
  ['type=abc', 'type', undefined],
  ['sort=password', 'sort', '-created_at'],
  ['tab=three', 'tab', 'one'],
  ['id=%3Cscript%3E', 'id', ''],
  ['from=yesterday', 'from', '24h'],
] as const)('replaces an impossible value (%s) by the default', (query, name, value) => {
  expect(read(query)[name]).toEqual(value);
});

test('reads back what it writes', () => {
  const state = {
    q: 'gpt 4&o',
    type: 2,
    group: ['vip', 'default'],
    from: '1763700000',
    page: 3,
    sort: 'quota',
    tab: 'two',
    id: '17',
  } as const;
  expect(read(write('', state))).toEqual(state);
});

test('omits defaults from the address', () => {
  expect(write('q=x&page=4&tab=two', { q: '', page: 1, tab: 'one' })).toBe('');
});

test('a changed filter or order returns to page 1', () => {
  expect(write('page=9', { q: 'x' })).toBe('q=x');
  expect(write('page=9', { sort: 'quota' })).toBe('sort=quota');
});

test('opening a record or another tab keeps the page', () => {
  expect(write('page=9', { id: '5' })).toBe('page=9&id=5');
  expect(write('page=9', { tab: 'two' })).toBe('page=9&tab=two');
});

test('keeps unknown parameters', () => {
  expect(write('code=abc', { page: 2 })).toBe('code=abc&page=2');
});

test('a relative range stays relative until it is converted to seconds', () => {
  const nowSec = 1_763_700_000;
  expect(momentSec('24h', nowSec)).toBe(nowSec - 86_400);
  expect(momentSec('7d', nowSec)).toBe(nowSec - 604_800);
  expect(momentSec('1763000000', nowSec)).toBe(1_763_000_000);
  expect(momentSec('', nowSec)).toBeUndefined();
  const today = new Date((momentSec('today', nowSec) ?? 0) * 1000);
  expect([today.getHours(), today.getMinutes(), today.getSeconds()]).toEqual([0, 0, 0]);
});
