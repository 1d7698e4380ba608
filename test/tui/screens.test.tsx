/**
 * Snapshots of each screen by width class, and in Chinese at the smallest, without colours and with
 * equal lines once.
 */
import stringWidth from 'string-width';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCREEN_NAMES } from '../../src/tui/screens/screen.ts';
import type { LocalSite } from '../support/local-site.ts';
import { filledSite, frameOf, openOn } from './open-dashboard.tsx';

let site: LocalSite;
let zone: string | undefined;

beforeAll(async () => {
  zone = process.env.TZ;
  process.env.TZ = 'UTC';
  site = await filledSite();
});

afterAll(async () => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
  await site.close();
});

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 32 },
  { columns: 160, rows: 40 },
] as const;

const CASES = SCREEN_NAMES.flatMap((screen) =>
  SIZES.flatMap((size) =>
    (['en', 'zh'] as const).map((language) => ({ screen, language, ...size })),
  ),
);

/** Replaces token keys, which are random, by a fixed text, and counts lines that repeat. */
const stable = (frame: string) =>
  frame
    .replaceAll(/sk-\w{3}\*\*\*\w{3}/g, 'sk-KEY***KEY')
    .replaceAll(
      /^(.*)\n(?:\1\n){2,}/gm,
      (run, line) => `${line}(${run.split('\n').length - 1} times)\n`,
    );

test.each(CASES)('$screen at $columns x $rows in $language', async (options) => {
  const { runtime } = openOn(site, options);
  await runtime.poller.readOnce();
  const list = frameOf(runtime);
  runtime.key('enter');
  const frames = options.screen === 'dashboard' ? [list] : [list, frameOf(runtime)];
  for (const frame of frames) {
    const lines = frame.split('\n');
    expect(lines.length).toBe(options.rows - 1);
    for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(options.columns);
    expect(frame).not.toMatch(/tui\.|undefined|NaN|Invalid Date|\?\?/);
    // The width decides which columns are shown, in every language the same.
    if (options.language === 'en' || options.columns === SIZES[0].columns)
      expect(stable(frame)).toMatchSnapshot();
  }
});

test('cursor, states and marks differ without colours', async () => {
  const { runtime } = openOn(site, { screen: 'channels' });
  await runtime.poller.readOnce();
  runtime.key('space');
  const frame = frameOf(runtime);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for these sequences.
  expect(new Set(frame.match(/\u001B\[[\d;]*m/g))).toEqual(new Set(['\u001B[7m', '\u001B[27m']));
  expect(frame).toMatch(/ \* +1 openai-main .*\+ on/);
  expect(frame).toMatch(/> +2 通义千问/);
  expect(frame).toMatch(/azure-eu .*x off/);
  expect(frameOf(runtime, { color: true })).toContain('\u001B[32m+ on');
});

test('no frame contains block or box characters with --ascii', async () => {
  for (const screen of SCREEN_NAMES) {
    const { runtime } = openOn(site, { screen });
    await runtime.poller.readOnce();
    runtime.key('enter');
    expect(frameOf(runtime, { ascii: true })).not.toMatch(/[▁-█─-┿…•→]/u);
  }
});

test('before the first read no screen shows a count, nor that it is live', async () => {
  for (const screen of SCREEN_NAMES) {
    const { runtime } = openOn(site, { screen });
    const loading = frameOf(runtime);
    expect(loading).toContain('Loading…');
    expect(loading).not.toMatch(/LIVE|\b0\b(?!:)/);
    await runtime.poller.readOnce();
    expect(frameOf(runtime)).toContain('LIVE');
  }
});

test('Enter opens and closes a detail, and says when there is none', async () => {
  const { runtime } = openOn(site, { screen: 'users' });
  await runtime.poller.readOnce();
  const list = frameOf(runtime);
  runtime.key('enter');
  expect(frameOf(runtime)).not.toBe(list);
  runtime.key('enter');
  expect(frameOf(runtime)).toBe(list);
  runtime.key('enter');
  runtime.go('users', 'name:nobody-at-all');
  await runtime.poller.readOnce();
  runtime.key('enter');
  expect(frameOf(runtime).match(/Nothing here\./g)).toHaveLength(2);
});

test('the command line suggests the command that was meant', () => {
  const { runtime } = openOn(site, {});
  for (const key of [':', ...'chanels', 'enter']) runtime.key(key);
  expect(frameOf(runtime)).toContain('There is no command chanels. Did you mean :channels?');
});

test('a terminal that is too small shows what is missing', () => {
  const { runtime } = openOn(site, { columns: 58, rows: 14 });
  expect(frameOf(runtime)).toContain('terminal too small (58x14, need 60x16)');
});

test('an ordinary user sees only their own data and no administrator screens', async () => {
  const api = site.as({ kind: 'user', id: 1, role: 1, group: 'default' });
  const { runtime } = openOn(site, { api, role: 1, screen: 'tokens' });
  await runtime.poller.readOnce();
  const frame = frameOf(runtime);
  expect(frame).toContain('Tokens (mine) 3');
  expect(frame).not.toContain('2 Channels');
  runtime.key('2');
  expect(runtime.state.screen).toBe('tokens');
  for (const screen of ['dashboard', 'logs'] as const) {
    const own = openOn(site, { api, role: 1, screen }).runtime;
    await own.poller.readOnce();
    expect(frameOf(own)).toContain('gpt-4o');
  }
});

test('the detail of a call shows its price calculation and any different charge', async () => {
  const { runtime } = openOn(site, { screen: 'logs' });
  const detailOf = async (request: string) => {
    runtime.go('logs', `request:${request}`);
    await runtime.poller.readOnce();
    return frameOf(runtime);
  };
  runtime.set({ isDetailOpen: true });
  const asCharged = await detailOf('req-0');
  expect(asCharged).toContain('input 804 x $2.50   cache 400 x $1.25   output 88 x $10.00');
  expect(asCharged).toContain('x0.8 = $0.0027   charged $0.0027 ok');
  expect(await detailOf('req-39')).toContain('x0.8 = $0.0027   charged $0.0028 !');
});
