/** Output for screen readers, in order: all of an opened screen, then only changes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Announcer } from '../../src/tui/screen-reader/announcer.ts';
import { SCREEN_NAMES } from '../../src/tui/screens/screen.ts';
import { type LocalSite, OPERATOR } from '../support/local-site.ts';
import { filledSite, type Opening, openOn } from './open-dashboard.tsx';

let site: LocalSite;

beforeAll(async () => {
  site = await filledSite();
});

afterAll(async () => {
  await site.close();
});

async function announced(opening: Opening) {
  const { runtime, terminal } = openOn(site, opening);
  const announcer = new Announcer(runtime);
  await runtime.poller.readOnce();
  return {
    runtime,
    terminal,
    first: announcer.next(),
    after(...keys: readonly string[]): string {
      for (const key of keys) runtime.key(key);
      return announcer.next();
    },
    async read(): Promise<string> {
      await runtime.poller.readOnce();
      return announcer.next();
    },
  };
}

const CASES = SCREEN_NAMES.flatMap((screen) =>
  (['en', 'zh'] as const).map((language) => ({ screen, language })),
);

test.each(CASES)('describes $screen in words in $language', async (opening) => {
  const { first, after } = await announced(opening);
  const all = first + after('enter') + after('?');
  expect(first.split('\n').length).toBeGreaterThan(4);
  expect(all).not.toMatch(/[▁-█─-┿•]|\S {2}|\|\|/u);
  expect(all).not.toMatch(/tui\.|undefined|NaN|Invalid Date|\?\?/);
});

test('Chinese sentences have Chinese commas and colons', async () => {
  const { first, after } = await announced({ screen: 'tokens', language: 'zh' });
  expect(first).toMatch(/^1\/3，ID：\d，名称：.*，/m);
  const all = first + after('enter') + after('delete');
  expect(all).not.toMatch(/, |\p{Script=Han}:|[，：；。] | [，：；。]/u);
});

test('announces rows once, after all their data has arrived', async () => {
  const { runtime } = openOn(site, { screen: 'channels' });
  const announcer = new Announcer(runtime);
  const texts: string[] = [];
  runtime.subscribe(() => texts.push(announcer.next()));
  await runtime.poller.readOnce();
  expect(texts.join('').match(/name: openai-main/g)).toHaveLength(1);
  expect(texts.join('')).toContain('16 of 20 succeeded');
});

test('reads each row as named fields, without decorative characters', async () => {
  const { first } = await announced({ screen: 'channels' });
  expect(first).toMatch(/^gateway prod, https:\/\/api\.example\.com, v1\.4\.2, operator$/m);
  expect(first).toMatch(/^Channels 3$/m);
  expect(first).toMatch(/^1\/3, id: 1, name: openai-main, type: OpenAI, state: on, /m);
  expect(first).toMatch(
    /^id: 3, name: azure-eu, .*state: off, last calls: 16 of 20 succeeded.* tag: eu$/m,
  );
});

test('moving announces the new row, or the open detail instead', async () => {
  const { after } = await announced({ screen: 'channels' });
  expect(after('j')).toMatch(/^2\/3, id: 2, name: 通义千问.*\n$/);
  expect(after('enter')).toMatch(/^通义千问.* \(#2\)\nstate: on\n/);
  expect(after('j')).toMatch(/^azure-eu \(#3\), tag eu\nstate: off/);
  expect(after('escape')).toMatch(/^3\/3, id: 3, name: azure-eu.*\n$/);
  expect(after('space')).toMatch(/^Channels 3, 1 marked\nazure-eu, marked: yes\n$/);
});

test('a refresh announces changes and new rows, and nothing if all is unchanged', async () => {
  const api = site.as(OPERATOR);
  const { read } = await announced({ screen: 'users' });
  expect(await read()).toBe('');
  await api.user.manage({ id: 1, action: 'disable' });
  expect(await read()).toBe('alice, state: banned\n');
  await site.aUser({ username: 'dora' });
  expect(await read()).toMatch(/^Users 4\n.*id: 4, name: dora.*\n(?!.*alice)/);
});

test('a dialog announces its keys, and a form echoes typed text except secrets', async () => {
  const { runtime, after } = await announced({ screen: 'users' });
  expect(after('delete')).toMatch(/^Delete 1 user\?\n.*\n.*\nEnter: Cancel, Tab: Delete\n$/);
  expect(after('tab')).toBe('Enter: Delete, Tab: Cancel\n');
  expect(after('escape')).toBe('');
  expect(after('a')).toMatch(/^Add user\n.*\n1\/6 name: $/);
  expect(after('e', 'v')).toBe('ev');
  expect(after('backspace')).toBe('\n1/6 name: e');
  expect(after('tab')).toMatch(/^\n.*\n2\/6 password: $/);
  expect(after('p', 'w')).toBe('**');
  expect(after('escape')).toBe('\n');
  runtime.showMessage('done');
  expect(after()).toBe('done\n');
});

test('echoes a filter while it is typed, and announces its stable results', async () => {
  const { after } = await announced({ screen: 'channels' });
  expect(after('/')).toBe('filter: ');
  expect(after(...'name:azure')).toBe('name:azure');
  const found = after('enter');
  expect(found).toMatch(
    /^\nChannels 3, filter: name:azure, 1 shown.*\n1\/1, id: 3, name: azure-eu/,
  );
  expect(found).not.toContain('openai-main');
});

test('announces the start and the end of a pause', async () => {
  const { after } = await announced({ screen: 'tokens' });
  expect(after('p')).toBe('PAUSED\n');
  expect(after('p')).toMatch(/^LIVE \d+s\n$/);
});
