/** Further names of commands, mistyped names, and the documentation in the terminal. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connect, gateway, makeSitePerFile } from './site-folder.ts';

makeSitePerFile();

test('commands have the names that other programs use', async () => {
  await connect();
  expect((await gateway('channels ls --output ids')).out).toBe('1\n');
  expect((await gateway('channel show main --fields name')).out).toContain('main');
  expect((await gateway('tokens add --name x --usd 1')).exit).toBe(0);
  expect((await gateway('tokens update x --usd 2')).exit).toBe(0);
  expect((await gateway('token rm x --yes')).exit).toBe(0);
  expect((await gateway('tokens list --output ids')).out).toBe('');
});

test.each([
  ['option get retrytimes', 5, 'RetryTimes'],
  ['option set RetryTime 3', 5, 'RetryTimes'],
  ['channel create --name a --type opneai --key-stdin --models m', 2, 'openai'],
  ['channel list --type claud', 2, 'claude'],
  ['channel list --status enbled', 2, 'enabled'],
  ['channel types opneai', 2, 'openai'],
  ['log list --type consme', 2, 'consume'],
  ['chanel list', 2, 'channel'],
  ['channel lst', 2, 'list'],
  ['docs chanels', 2, 'channels'],
  ['user list --output tabel', 2, 'table'],
])('gateway %s suggests what was meant', async (words, exit, name) => {
  const mistyped = await gateway(words, { stdin: 'k' });
  expect([mistyped.exit, mistyped.err]).toEqual([exit, expect.stringContaining('Did you mean')]);
  expect(mistyped.err).toContain(name);
});

test('options are found by a word of their description, in either language', async () => {
  const found = (await gateway('option list --q retr --output ids')).out.split('\n');
  expect(found).toContain('RetryTimes');
  expect(found.length).toBeLessThan(20);
  const env = { GATEWAY_LANG: 'zh' };
  const chinese = (await gateway('option list --q 尝试 --output ids', { env })).out;
  expect(chinese).toContain('RetryTimes');
});

test('a dry run names the channels that would be deleted', async () => {
  await connect().catch(() => undefined);
  await gateway('channel disable main --force');
  const plan = await gateway('channel prune-disabled --dry-run');
  expect(plan.out).toBe('- delete channel main\n');
  expect((await gateway('channel prune-disabled --dry-run --json')).rows()).toMatchObject([
    { action: 'delete', name: 'main' },
  ]);
  const asked = await gateway('channel prune-disabled', { answers: ['n'] });
  expect(asked.questions[0]).toContain('main');
  await gateway('channel delete main --yes --force');
  expect(await gateway('channel prune-disabled')).toMatchObject({ exit: 0, out: 'deleted\t0\n' });
});

test('prints the packed documentation', async () => {
  const pages = (await gateway('docs --output ids')).out.split('\n');
  expect(pages).toContain('channels');
  expect((await gateway('docs channels')).out).toBe(readFileSync('docs/channels.md', 'utf8'));
  const found = (await gateway('docs --q retry-after --output ids')).out.split('\n');
  expect(found.length).toBeLessThan(pages.length);
  expect(found).toContain('api');
});

test.each([
  ['--db a.db user list --db=b.db', '--db'],
  ['token create --name a --usd 1 --name b', '--name'],
  ['apply -f a.yaml --file b.yaml', '--file'],
  ['-o json user list --output table', '--output'],
])('gateway %s is refused, because a value is given twice', async (words, flag) => {
  const { exit, err } = await gateway(words);
  expect([exit, err]).toEqual([2, expect.stringContaining(`${flag}: is given twice`)]);
});

test('flags without a value may be repeated', async () => {
  expect((await gateway('user list --quiet --quiet --output ids')).exit).toBe(0);
});

test('the documents of channels, of the site and of other gateways name each other', async () => {
  for (const [words, other] of [
    ['channel export', 'gateway export'],
    ['channel import', 'gateway import'],
    ['channel apply', 'gateway apply'],
    ['export', 'gateway channel export'],
    ['import', 'gateway channel import'],
    ['apply', 'gateway channel apply'],
  ])
    expect((await gateway(`${words} --help`)).out.replaceAll(/\s+/g, ' ')).toContain(other);
});
