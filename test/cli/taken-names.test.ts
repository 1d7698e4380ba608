/** A second `create` with the same name is refused, kept or changed, as the flags say. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from './terminal.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gateway-taken-'));
  const set = await gateway(['setup', '--username', 'root', '--password-stdin'], 'Passw0rd123');
  expect(set.exit, set.err).toBe(0);
});
afterAll(() => rm(folder, { recursive: true }));

function gateway(words: readonly string[], stdin = '') {
  return runCommand(words, { env: { GATEWAY_DATA: folder, HOME: folder }, stdin });
}

test.each([
  ['token', ['token', 'create', '--name', 'first', '--usd', '2']],
  ['code', ['redemption', 'create', '--name', 'spring', '--count', '2']],
  [
    'channel',
    [
      ...['channel', 'create', '--name', 'main', '--type', 'openai', '--models', 'gpt-4o'],
      '--key-stdin',
    ],
  ],
])('a %s with a taken name is refused with 6, or kept', async (_noun, words) => {
  expect((await gateway(words, 'sk-x')).exit).toBe(0);
  const again = await gateway(words, 'sk-x');
  expect([again.exit, again.out]).toEqual([6, '']);
  expect(again.err).toContain('--if-absent');
  expect((await gateway([...words, '--if-absent'], 'sk-x')).exit).toBe(0);
});

test('--upsert changes the token of this name', async () => {
  const words = ['token', 'create', '--name', 'both', '--json', '--usd'];
  const first = JSON.parse((await gateway([...words, '1'])).out);
  const second = JSON.parse((await gateway([...words, '3', '--upsert'])).out);
  expect(second).toMatchObject({ id: first.id, remain_quota: 1_500_000 });
});

test('a custom channel without an address is refused', async () => {
  const words = ['channel', 'create', '--name', 'own', '--type', 'custom', '--models', 'm'];
  const { exit, err } = await gateway([...words, '--key-stdin'], 'sk-x');
  expect([exit, err]).toEqual([6, expect.stringContaining('--base-url')]);
});
