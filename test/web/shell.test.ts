import { expect, test } from 'vitest';
import { accessResult } from '../../web/src/app/routing/guard.ts';
import { groupsFor, hasSideMenu, NAVIGATION } from '../../web/src/app/routing/navigation.ts';
import { type KeyPress, keyAction } from '../../web/src/app/search/keyboard.ts';
import { isNewYear, offersRegister, unreadBadge } from '../../web/src/app/shell/shell-rules.ts';
import { baseUrl } from '../../web/src/lib/site/base-url.ts';
import { chatAt, chatsOf, needsKey } from '../../web/src/lib/site/chat-links.ts';
import type { Status } from '../../web/src/lib/site/site-status.ts';

const key = (name: string, at = 0, isCombined = false): KeyPress => ({ key: name, at, isCombined });

test.each([
  '/',
  '/chat',
  '/chat/0',
  '/chat2link',
  '/setup',
  '/login',
  '/user/reset',
  '/oauth/oidc',
])('%s has no side menu', (path) => expect(hasSideMenu(path)).toBe(false));

test.each([
  '/app/tokens',
  '/admin/channels',
  '/channel/edit/7',
  '/user/edit/3',
  '/pricing',
  '/nope',
])('the side menu is shown beside %s', (path) => expect(hasSideMenu(path)).toBe(true));

test('administrators find these entries in the menu, in this order', () => {
  const admin = NAVIGATION.find(({ isForAdmins }) => isForAdmins);
  expect(admin?.items.map(({ name }) => name)).toEqual([
    'channels',
    'budgets',
    'coupons',
    'messages',
    'users',
    'settings',
  ]);
});

test('image tasks, tasks and the dashboard are listed only while they are enabled', () => {
  const listed = (isOn: boolean) =>
    groupsFor(false, { dataExport: isOn, drawing: isOn, tasks: isOn })
      .flatMap(({ items }) => items)
      .map(({ name }) => name);
  expect(listed(false)).toEqual(['playground', 'tokens', 'logs', 'wallet', 'me']);
  expect(listed(true)).toEqual(
    expect.arrayContaining(['dashboard', 'drawing', 'tasks', 'tokens', 'logs']),
  );
  expect(groupsFor(true, { dataExport: true, drawing: true, tasks: true })).toEqual(NAVIGATION);
});

test('the bell says nothing at 0, and no more than 99+', () => {
  expect([0, 1, 99, 100, 4000].map(unreadBadge)).toEqual([undefined, '1', '99', '99+', '99+']);
});

test('registering is offered where it is on, but not on phones and self-use sites', () => {
  // Only the fields that the code reads.
  const site = (more: Partial<Status>) => ({ register_enabled: true, ...more }) as Status;
  expect(offersRegister(site({}), false)).toBe(true);
  expect(offersRegister(site({}), true)).toBe(false);
  expect(offersRegister(site({ self_use_mode_enabled: true }), false)).toBe(false);
  expect(offersRegister(site({ register_enabled: false }), false)).toBe(false);
  expect(offersRegister(undefined, false)).toBe(false);
});

test('new year is one day, by the reader’s own calendar', () => {
  expect(isNewYear(new Date(2027, 0, 1, 0, 0))).toBe(true);
  expect(isNewYear(new Date(2027, 0, 1, 23, 59))).toBe(true);
  expect(isNewYear(new Date(2027, 0, 2))).toBe(false);
  expect(isNewYear(new Date(2027, 1, 1))).toBe(false);
});

test('no two navigation shortcuts share a key', () => {
  const jumps = NAVIGATION.flatMap(({ items }) => items).flatMap(({ jump }) => jump ?? []);
  expect(new Set(jumps).size).toBe(jumps.length);
});

test('g followed by a letter opens a page', () => {
  expect(keyAction(key('t', 900), key('g', 0))).toEqual({ kind: 'jump', path: '/app/tokens' });
  expect(keyAction(key('t', 5_000), key('g', 0))).toBeUndefined();
  expect(keyAction(key('t', 100), key('x', 0))).toBeUndefined();
});

test('single keys search, refresh and list, but not together with Ctrl', () => {
  expect(keyAction(key('/'), undefined)).toEqual({ kind: 'page-search' });
  expect(keyAction(key('r'), undefined)).toEqual({ kind: 'refresh' });
  expect(keyAction(key('?'), undefined)).toEqual({ kind: 'list' });
  expect(keyAction(key('r', 0, true), undefined)).toBeUndefined();
});

test('chat entries keep their number when one of them is broken', () => {
  const { entries, isBroken } = chatsOf('[{"One":"https://a/{key}"},7,{"Two":"https://b"}]');
  expect(isBroken).toBe(false);
  expect(entries).toEqual([
    { name: 'One', url: 'https://a/{key}' },
    undefined,
    { name: 'Two', url: 'https://b' },
  ]);
  expect(chatsOf('')).toEqual({ entries: [], isBroken: false });
  expect(chatsOf('{').isBroken).toBe(true);
  expect(chatsOf('{"a":"b"}').isBroken).toBe(true);
});

test('a chat is found by its number alone, and only one with a key in its address requires a sign-in', () => {
  const chats = chatsOf('[{"One":"https://a/{key}"},7,{"Two":"https://b?at={address}"}]');
  const found = ['0', '1', '2', '3', '-1', 'x', ''].map((id) => chatAt(chats, id)?.name);
  expect(found).toEqual(['One', undefined, 'Two', undefined, undefined, undefined, undefined]);
  expect(chats.entries.map((entry) => entry && needsKey(entry))).toEqual([true, undefined, false]);
});

test("clients get the configured address, unless it works only on the gateway's machine", () => {
  expect(baseUrl('https://ai.test/', 'http://10.0.0.5:3000')).toBe('https://ai.test');
  expect(baseUrl('http://localhost:3000', 'http://10.0.0.5:3000')).toBe('http://10.0.0.5:3000');
  expect(baseUrl('', 'http://10.0.0.5:3000')).toBe('http://10.0.0.5:3000');
});

test('a guest is sent to sign in and knows the way back, unless the guest has just left', () => {
  const to = (loss?: 'expired' | 'signed-out') =>
    accessResult('user', undefined, '/app/me?tab=2', loss);
  expect(to()).toEqual({ to: '/login?returnTo=%2Fapp%2Fme%3Ftab%3D2' });
  expect(to('expired')).toEqual({ to: '/login?expired=true&returnTo=%2Fapp%2Fme%3Ftab%3D2' });
  expect(to('signed-out')).toEqual({ to: '/login' });
  expect(accessResult('admin-or-home', undefined, '/admin/messages')).toEqual({ to: '/login' });
});

test.each([
  ['open', 'show'],
  ['user', 'show'],
  ['admin', 'no-permission'],
  ['admin-or-home', { to: '/' }],
  ['admin-or-me', { to: '/app/me' }],
] as const)(
  'a user at a screen for "%s" gets its accessResult, an administrator the screen',
  (access, expected) => {
    expect(accessResult(access, { role: 1 }, '/x')).toEqual(expected);
    expect(accessResult(access, { role: 10 }, '/x')).toBe('show');
  },
);
