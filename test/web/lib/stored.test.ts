import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { STORED, storedColumns } from '../../../web/src/lib/browser/stored.ts';
import type { Status } from '../../../web/src/lib/site/site-status.ts';
import { storeStatus } from '../../../web/src/lib/site/status.ts';

const ITEMS = Object.entries(STORED);
const kept = new Map<string, string>();
let isRefusing = false;

/** A fake of the browser's storage, which Node does not have. */
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => {
    if (isRefusing) throw new DOMException('full', 'QuotaExceededError');
    kept.set(key, value);
  },
  removeItem: (key: string) => void kept.delete(key),
};

beforeEach(() => {
  kept.clear();
  isRefusing = false;
  vi.stubGlobal('localStorage', storage);
  // Clears values kept in memory because an earlier test made the storage refuse them.
  for (const [, item] of ITEMS) item.clear();
});

afterEach(() => void vi.unstubAllGlobals());

test.each(['null', '{', '', '[]', '"x"', '-1'])('a foreign value (%j) breaks no item', (text) => {
  for (const [name, item] of ITEMS) {
    kept.set(item.key, text);
    expect(() => item.read(), name).not.toThrow();
  }
  expect(STORED.user.read()).toBeUndefined();
  expect(STORED.pageSize.read()).toBe(10);
  expect(STORED.tableDensity.read()).toBe('comfortable');
  expect(storedColumns('token').read()).toEqual({ order: [], hidden: [] });
});

test('no two items share a storage key', () => {
  const keys = ITEMS.map(([, { key }]) => key);
  expect(new Set(keys).size).toBe(keys.length);
});

test('the keys that other programs know are kept', () => {
  expect(ITEMS.map(([, { key }]) => key)).toEqual(
    expect.arrayContaining([
      'user',
      'theme-mode',
      'message-page-size',
      'default_collapse_sidebar',
      'enable_data_export',
      'enable_drawing',
      'enable_task',
      'chats',
      'footer_html',
      'quota_per_unit',
      'display_in_currency',
      'data_export_default_time',
    ]),
  );
});

test('reads what was written, and returns the same object for the same text', () => {
  const user = { id: 1, username: 'ann', display_name: 'Ann', role: 10, status: 1, group: 'vip' };
  STORED.user.write(user);
  expect(STORED.user.read()).toEqual(user);
  expect(STORED.user.read()).toBe(STORED.user.read());
  expect(kept.get('user')).toBe(JSON.stringify(user));
  STORED.user.clear();
  expect(kept.has('user')).toBe(false);
});

test('a status renews what screens read from here, and folds the side menu only the first time', () => {
  // Only the fields that are stored.
  const store = (isFolded: boolean, isOn: boolean) =>
    storeStatus({
      enable_data_export: isOn,
      enable_drawing: isOn,
      enable_task: isOn,
      chats: [{ One: 'https://a' }],
      footer_html: '<b>f</b>',
      quota_per_unit: 1000,
      display_in_currency: !isOn,
      data_export_default_time: 'week',
      default_collapse_sidebar: isFolded,
    } as unknown as Status);
  store(true, false);
  expect(STORED.sideMenuFolded.read()).toBe(true);
  STORED.sideMenuFolded.write(false);
  store(true, true);
  expect(STORED.sideMenuFolded.read()).toBe(false);
  expect(
    [STORED.dataExportOn, STORED.drawingOn, STORED.tasksOn].map((item) => item.read()),
  ).toEqual([true, true, true]);
  expect(kept.get('chats')).toBe('[{"One":"https://a"}]');
  expect([STORED.quotaPerUnit.read(), STORED.displayInCurrency.read()]).toEqual([1000, false]);
  expect(STORED.dataGranularity.read()).toBe('week');
});

test('replaces an unknown page size by the default', () => {
  kept.set('page-size', '1000');
  expect(STORED.pageSize.read()).toBe(10);
  kept.set('page-size', '50');
  expect(STORED.pageSize.read()).toBe(50);
});

test('treats a user with an unknown role as signed out', () => {
  kept.set('user', '{"id":1,"username":"x","role":55}');
  expect(STORED.user.read()).toBeUndefined();
});

test('where storage refuses, a choice lasts as long as the page', () => {
  isRefusing = true;
  STORED.tableDensity.write('compact');
  expect(STORED.tableDensity.read()).toBe('compact');
  isRefusing = false;
  STORED.tableDensity.write('comfortable');
  expect(kept.get('table-density')).toBe('comfortable');
});
