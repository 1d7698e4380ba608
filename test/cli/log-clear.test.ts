import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { type Databases, openDatabases } from '../../src/store/connection/database.ts';
import { anEntry, DAY, NOON } from '../services/logs/log-entries.ts';
import { folder, makeSitePerFile } from './site-folder.ts';
import { type TerminalOptions, terminal } from './terminal.ts';

makeSitePerFile();
let pools: Databases;

beforeAll(async () => {
  pools = await openDatabases(path.join(folder, 'gateway.sqlite'));
});
beforeEach(async () => {
  await pools.db('logs').delete();
  const entries = Array.from({ length: 1500 }, (_, at) =>
    anEntry({ request_id: `r${at}`, created_at: NOON - 500 * DAY - (at % 2) * DAY }),
  );
  for (let at = 0; at < entries.length; at += 500)
    await pools.db('logs').insert(entries.slice(at, at + 500));
});
afterAll(() => pools.close());

async function gateway(words: string, options: TerminalOptions = {}, isInterrupted = false) {
  const io = terminal({ ...options, env: { GATEWAY_DATA: folder } });
  if (isInterrupted) io.interrupt('SIGINT');
  const exit = await run(words.split(' '), io);
  return { exit, out: io.stdout(), err: io.stderr(), prompts: io.questions };
}
const left = async () => (await pools.db('logs').where({ type: 2 })).length;

test('clearing the log asks first, shows progress and reports the number deleted', async () => {
  const refused = await gateway('log clear --before 100d', { answers: ['n'] });
  expect(refused.prompts).toHaveLength(1);
  expect(await left()).toBe(1500);
  const done = await gateway('log clear --before 100d --yes', { errIsTTY: true });
  expect(done).toMatchObject({ exit: 0, out: expect.stringContaining('1500') });
  expect(done.err).toContain('log clear [####################] 1500/1500');
  expect(await left()).toBe(0);
});

test('a dry run reports the number of log entries and deletes none', async () => {
  const { exit, out } = await gateway('log clear --before 100d --dry-run');
  expect(exit).toBe(0);
  expect(out).toContain('1500');
  expect(await left()).toBe(1500);
});

test('an interrupted clear reports what was deleted and can be resumed', async () => {
  const cut = await gateway('log clear --before 100d --yes --json', {}, true);
  expect(cut.exit).toBe(130);
  expect(JSON.parse(cut.out)).toEqual({ deleted: 0 });
  expect(await left()).toBe(1500);
});

test('exported log entries are complete in the file before they are deleted', async () => {
  const out = path.join(folder, 'old.jsonl');
  const done = await gateway(`log clear --before 100d --export ${out} --yes --json`);
  expect(done).toMatchObject({ exit: 0, err: expect.stringContaining('1,500') });
  expect(JSON.parse(done.out)).toEqual({ deleted: 1500 });
  expect(await left()).toBe(0);
  const text = (await readFile(out, 'utf8')).trim().split('\n');
  expect(text).toHaveLength(1500);
  expect(JSON.parse(text[0] ?? '')).toMatchObject({ request_id: 'r0', model_name: 'gpt-4o' });
});

test('a file that cannot be written, or an interruption, deletes nothing', async () => {
  const refused = await gateway(`log clear --before 100d --export ${folder}/none/old.csv --yes`);
  expect(refused.exit).not.toBe(0);
  const out = path.join(folder, 'cut.csv');
  const cut = await gateway(`log clear --before 100d --export ${out} --yes`, {}, true);
  expect(cut.exit).toBe(130);
  expect(await left()).toBe(1500);
});
