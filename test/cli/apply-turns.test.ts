/** Two documents that are applied at once do not mix, whether by database, by HTTP or by both. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { sharedSite } from '../support/shared-site.ts';
import { eventually, OPERATOR } from '../support/site.ts';
import { runCommand, terminal } from './terminal.ts';

const site = await sharedSite({
  config: { apiRateLimitEnabled: false, criticalRateLimitEnabled: false },
});
const root = await site.addUser({ username: 'root', role: 100 });
const token = await site.as(OPERATOR).user.newAccessToken({ id: root.id });
const ways = {
  database: { GATEWAY_DATA: site.ctx.config.dataDir, GATEWAY_DB: site.dsn },
  http: { GATEWAY_URL: site.url, GATEWAY_ACCESS_TOKEN: token },
};

const COUNT = 8;

function documentOf(priority: number): string {
  return JSON.stringify({
    channels: Array.from({ length: COUNT }, (_, index) => ({
      ...{ name: `both-${index}`, type: 'openai', key: 'sk-x', models: 'm', priority },
    })),
  });
}

async function writtenDocument(way: keyof typeof ways, priority: number): Promise<string> {
  const file = path.join(site.ctx.config.dataDir, `${way}-${priority}.json`);
  await writeFile(file, documentOf(priority));
  return file;
}

function applyOf(file: string, ...words: readonly string[]): string[] {
  return ['apply', '-f', file, '--yes', '--json', ...words];
}

async function applied(way: keyof typeof ways, priority: number, words: readonly string[] = []) {
  const file = await writtenDocument(way, priority);
  return runCommand(applyOf(file, ...words), { env: ways[way] });
}

async function priorities(): Promise<number[]> {
  const { items } = await site.as(OPERATOR).channel.list({ keyword: 'both-', page_size: 100 });
  return [...new Set(items.map(({ priority }) => priority))];
}

test.each([
  ['database', 'database'],
  ['http', 'database'],
  ['http', 'http'],
] as const)(
  '%s and %s: both wait for the turn of another, and then for each other',
  async (one, other) => {
    const api = site.as(OPERATOR).siteApply;
    const { turn } = await api.take({});
    const terminals = [terminal({ env: ways[one] }), terminal({ env: ways[other] })];
    const files = [await writtenDocument(one, 1), await writtenDocument(other, 2)];
    const runs = terminals.map((io, at) => run(applyOf(files[at] ?? ''), io));
    await eventually('both wait', () => terminals.every((io) => io.stderr().includes('waiting')));
    await api.giveBack({ turn });
    expect(await Promise.all(runs)).toEqual([0, 0]);
    expect(await priorities()).toHaveLength(1);
  },
);

test('a turn that another process has taken over ends the first apply before its next step', async () => {
  const api = site.as(OPERATOR).siteApply;
  const { turn } = await api.take({});
  await expect(api.take({})).rejects.toMatchObject({ code: 'already_running' });
  await site.ctx.db('leases').where({ name: 'site-apply' }).update({ expires_at_ms: 0 });
  const { turn: next } = await api.take({});
  await expect(api.renew({ turn })).rejects.toMatchObject({ code: 'already_running' });
  await api.giveBack({ turn });
  await api.renew({ turn: next });
  await api.giveBack({ turn: next });
});

test('a plan that was checked is applied only if it is still the plan', async () => {
  await applied('database', 1);
  const plan = await applied('http', 5, ['--dry-run']);
  const { revision } = plan.json();
  await applied('database', 3);
  const late = await applied('http', 5, ['--revision', revision]);
  expect([late.exit, late.out]).toEqual([6, '']);
  expect(late.err).toContain(revision);
  expect(await priorities()).toEqual([3]);
  const again = (await applied('database', 5, ['--dry-run'])).json().revision;
  expect((await applied('http', 5, ['--revision', again])).exit).toBe(0);
  expect(await priorities()).toEqual([5]);
});
