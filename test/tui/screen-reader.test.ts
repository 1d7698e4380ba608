/** The text of each screen for a screen reader, as Ink writes it with INK_SCREEN_READER. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { frameText } from '../../src/tui/render.tsx';
import { SCREEN_NAMES } from '../../src/tui/screens/screen.ts';
import type { LocalSite } from '../support/local-site.ts';
import { filledSite, type Opening, openOn } from './open-dashboard.tsx';

let site: LocalSite;

beforeAll(async () => {
  site = await filledSite();
});

afterAll(async () => {
  await site.close();
});

async function spoken(opening: Opening) {
  const { runtime, terminal } = openOn(site, opening);
  await runtime.poller.readOnce();
  return {
    terminal,
    after(...keys: readonly string[]): string {
      for (const key of keys) runtime.key(key);
      return frameText(runtime, { ascii: false, screenReader: true });
    },
  };
}

const CASES = SCREEN_NAMES.flatMap((screen) =>
  (['en', 'zh'] as const).map((language) => ({ screen, language })),
);

test.each(CASES)('describes $screen in words in $language', async (opening) => {
  const { after } = await spoken(opening);
  const first = after();
  expect(first.split('\n').length).toBeGreaterThan(4);
  const all = first + after('enter') + after('?');
  expect(all).not.toMatch(/[▁-█─-┿]|\|\|/u);
  expect(all).not.toContain('\u001B');
  expect(all).not.toMatch(/tui\.|undefined|NaN|Invalid Date|\?\?/);
});

test('reads each row as named fields, with the position of the cursor', async () => {
  const { after } = await spoken({ screen: 'channels' });
  expect(after()).toMatch(/^> 1\/3, id: 1, name: openai-main, type: OpenAI, state: \+ on, /m);
  expect(after()).toMatch(/^id: 3, name: azure-eu, .*last calls: 16 of 20 succeeded.* tag: eu$/m);
  expect(after('j')).toMatch(/^> 2\/3, id: 2, name: 通义千问/m);
  expect(after('space')).toMatch(/^marked, id: 2, /m);
});

test('Chinese rows have Chinese commas and colons', async () => {
  const { after } = await spoken({ screen: 'tokens', language: 'zh' });
  expect(after()).toMatch(/^> 1\/3，ID：\d，名称：/m);
});

test('a second without news changes no text', async () => {
  for (const screen of SCREEN_NAMES) {
    const { terminal, after } = await spoken({ screen });
    const before = after();
    terminal.nowMs += 1000;
    expect(after()).toBe(before);
  }
});

test('a detail or a dialog is read instead of the list behind it', async () => {
  const { after } = await spoken({ screen: 'users' });
  const detail = after('enter');
  expect(detail).toContain('carol (#3)');
  expect(detail).not.toContain('name: bob');
  after('escape');
  const dialog = after('delete');
  expect(dialog).toMatch(/Delete 1 user\?\n/);
  expect(dialog).toMatch(/> Cancel +Delete/);
  expect(dialog).not.toContain('name: bob');
  expect(after('tab')).toMatch(/Cancel +> Delete/);
});

test('a form reads its fields, and secrets as dots', async () => {
  const { after } = await spoken({ screen: 'users' });
  const form = after('a', 'e', 'v', 'tab', 'p', 'w');
  expect(form).toMatch(/^ *name ev$/m);
  expect(form).toMatch(/^> password ••$/m);
});
