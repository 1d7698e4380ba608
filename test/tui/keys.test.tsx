/** The effects of keys typed into the dashboard. */
import { cleanup, render } from 'ink-testing-library';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import type { LogRow } from '../../src/store/logs/log-row.ts';
import { insertLogs } from '../../src/store/logs/log-rows.ts';
import { App } from '../../src/tui/app.tsx';
import { type Clients, type LocalSite, OPERATOR } from '../support/local-site.ts';
import { aLog, filledSite, type Opening, openOn } from './open-dashboard.tsx';

let site: LocalSite;

beforeAll(async () => {
  site = await filledSite();
});

afterEach(cleanup);

afterAll(async () => {
  await site.close();
});

const ESCAPE = '\u001B';
const ENTER = '\r';
const DELETE = '\u001B[3~';

/** Repeats a check until it passes. */
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 30_000, interval: 10 });

/** Opens the dashboard in a terminal of 100 columns. */
async function opened(opening: Opening = {}) {
  const { runtime, terminal } = openOn(site, opening);
  const { stdin, lastFrame } = render(<App runtime={runtime} />);
  const sees = (text: string | RegExp) => until(() => expect(lastFrame()).toMatch(text));
  const misses = (text: string | RegExp) => until(() => expect(lastFrame()).not.toMatch(text));
  return { runtime, terminal, type: (text: string) => stdin.write(text), sees, misses };
}

test('a filter narrows the list while it is typed, and Esc clears it', async () => {
  const { type, sees, misses } = await opened({ screen: 'channels' });
  await sees('azure-eu');
  type('/');
  type('name:open !azure');
  await misses('azure-eu');
  await sees('openai-main');
  type(ENTER);
  await sees('filter: name:open !azure');
  type(ESCAPE);
  await sees('azure-eu');
});

test('b shows the budgets of a token and what they have left', async () => {
  const owner = await site.aUser({ username: 'budgeted' });
  const token = await site.aToken(owner, { name: 'frugal' });
  const { type, sees } = await opened({ screen: 'tokens' });
  await sees('frugal');
  type('/');
  type('frugal');
  type(ENTER);
  await sees('filter: frugal');
  type('b');
  await sees('No budget');
  type(ESCAPE);
  await site.as(OPERATOR).budget.create({
    subject: 'token',
    subject_id: token.id,
    limit_amount: 2_500_000,
    period: 'day',
    models: ['gpt-4o'],
    shadow: true,
  });
  await sees('frugal');
  type('b');
  await sees(/\$5\.00 per day · never refuses.*\$5\.00 left.*only gpt-4o/s);
});

test('deleting several rows asks for their number, and Enter alone never deletes', async () => {
  const api = site.as(OPERATOR);
  for (const name of ['gone-1', 'gone-2']) await site.aChannel({ name, priority: 99 });
  const { type, sees, misses } = await opened({ screen: 'channels' });
  await sees('gone-2');
  type(' ');
  type(' ');
  await sees('2 marked');
  type(DELETE);
  await sees('Delete 2 channels');
  await sees(/gone-\d, gone-\d/);
  type(ENTER);
  await misses('Delete 2 channels');
  type(DELETE);
  await sees('Type 2 to confirm');
  type('\t');
  type(ENTER);
  await sees('Type 2 to confirm');
  type('2');
  type(ENTER);
  await misses('gone-1');
  const { items } = await api.channel.list({});
  expect(items.map(({ name }) => name)).not.toContain('gone-2');
});

test('a token, a user and a code are deleted after a confirmation', async () => {
  const api = site.as(OPERATOR);
  await site.aToken(await site.aUser({ username: 'leaving' }), { name: 'spent' });
  await api.redemption.create({ name: 'void', quota: 1, count: 1 });
  const rows = { tokens: 'spent', codes: 'void', users: 'leaving' } as const;
  for (const screen of ['tokens', 'codes', 'users'] as const) {
    const { type, sees } = await opened({ screen });
    await sees(rows[screen]);
    type('/');
    type(rows[screen]);
    type(ENTER);
    await sees(`filter: ${rows[screen]}`);
    type(DELETE);
    await sees('Delete 1');
    type('\t');
    type(ENTER);
    await sees('1 deleted');
    cleanup();
  }
  expect((await api.token.list({ everyone: true, keyword: 'spent' })).items).toEqual([]);
  expect((await api.redemption.list({ keyword: 'void' })).items).toEqual([]);
  const [user] = (await api.user.list({ keyword: 'leaving' })).items;
  expect(user?.DeletedAt).toBeTruthy();
});

test('reads no data while paused, unfocused or in a dialog', async () => {
  let reads = 0;
  const real = site.as(OPERATOR);
  const list: Clients['user']['list'] = async (input) => {
    reads += 1;
    return real.user.list(input);
  };
  const api = { ...real, user: { ...real.user, list } };
  const { runtime, type, sees } = await opened({ screen: 'users', api });
  await sees('alice');
  const held = ['p', '\u001B[O', '?'];
  const freed = ['p', '\u001B[I', ESCAPE];
  for (const [index, key] of held.entries()) {
    type(key);
    await until(() => expect(isHeld(runtime.state)).toBe(true));
    await until(() => expect(runtime.state.reads.users.atMs).toBeGreaterThan(0));
    const before = reads;
    runtime.poller.readNow();
    expect(reads).toBe(before);
    type(freed[index] ?? '');
    await until(() => expect(reads).toBeGreaterThan(before));
  }
});

function isHeld(state: { isPaused: boolean; isFocused: boolean; overlay: unknown }): boolean {
  return state.isPaused || !state.isFocused || state.overlay !== undefined;
}

test('masks a key, shows it for ten seconds, and copies it without showing it', async () => {
  const { runtime, terminal, type, sees, misses } = await opened({ screen: 'tokens' });
  await sees('ide-key');
  const { key } = await site.as(OPERATOR).token.reveal({ id: 4 });
  const begin = key.slice(0, 24);
  await misses(begin);
  type('x');
  await sees(begin);
  terminal.nowMs += 10_000;
  runtime.set({});
  await misses(begin);
  type('y');
  await sees('Copied: frugal');
  expect(terminal.written.join('')).toContain(Buffer.from(key).toString('base64'));
});

test('--read-only has no key that changes anything', async () => {
  const { runtime, type } = await opened({ screen: 'channels', readOnly: true });
  const keys = runtime.actions().map(({ key }) => key);
  expect(keys).toEqual(expect.arrayContaining(['t', 'y', 'l']));
  for (const key of ['a', 'e', 'v', 'E', 'D', 'delete', 'P', 'W']) expect(keys).not.toContain(key);
  type(DELETE);
  expect(runtime.state.overlay).toBeUndefined();
});

test('a form keeps its values when the server refuses it', async () => {
  const { type, sees, misses } = await opened({ screen: 'users' });
  await sees('alice');
  type('a');
  await sees('Add user');
  for (const text of ['dave', '\t', 'short']) type(text);
  type('\u0013');
  await sees('at least 8 characters');
  await sees('dave');
  type('-long-enough');
  type('\u0013');
  await misses('Add user');
  expect((await site.as(OPERATOR).user.getByName({ username: 'dave' })).role).toBe(1);
});

test('options stay drafts until saved after a review of the difference', async () => {
  const { runtime, type, sees } = await opened({ screen: 'options' });
  const value = async () => (await site.as(OPERATOR).option.get({ key: 'RetryTimes' })).value;
  const before = await value();
  await sees('Options');
  type('/');
  type('option:RetryTimes');
  type(ENTER);
  await sees(/> .*RetryTimes/);
  type('e');
  await until(() => expect(runtime.state.overlay?.kind).toBe('form'));
  type('\u00157');
  type(ENTER);
  await sees('not saved: 1');
  expect(await value()).toBe(before);
  type('w');
  await sees(/\+ 7/);
  type('\t');
  type(ENTER);
  await sees('1 saved');
  expect(await value()).toBe('7');
});

test('the editor writes only the fields that were edited', async () => {
  const { terminal, type, sees } = await opened({ screen: 'channels' });
  await sees('openai-main');
  terminal.edited = (text) => text.replace('weight: 0', 'weight: 42');
  type('v');
  await sees(/\+ weight: 42/);
  type('\t');
  type(ENTER);
  await until(async () => expect((await site.as(OPERATOR).channel.get({ id: 1 })).weight).toBe(42));
});

test('a wrong amount is named by its label, without flags of commands', async () => {
  const { type, sees, misses } = await opened({ screen: 'users' });
  await sees('alice');
  type('+');
  await sees('dollars to add');
  type('lots');
  type(ENTER);
  await sees('dollars to add: must be an amount in USD such as 12.50');
  await misses('--usd');
  await misses('--help');
});

test('an edit writes what differs, but not over a change by others', async () => {
  const { channel } = site.as(OPERATOR);
  const { id } = await site.aChannel({ name: 'shared', models: 'gpt-4o', tag: 'kept' });
  const { type, sees, misses } = await opened({ screen: 'channels' });
  const typeWeight = async (weight: string) => {
    type('e');
    await sees('Edit shared');
    type('\t'.repeat(7));
    type(`\u0015${weight}`);
    await sees(new RegExp(`> wt +${weight}`));
  };
  type('/name:shared\r');
  await sees('1 shown');
  await typeWeight('5');
  await channel.edit({ id, weight: 3 });
  type('\u0013');
  await sees('shared was changed in the meantime');
  type(ESCAPE);
  await misses('Edit shared');
  await sees(/\b3 kept/);
  await typeWeight('5');
  type('\u0013');
  await misses('Edit shared');
  const { weight, tag } = await channel.get({ id, reveal: false });
  expect([weight, tag]).toEqual([5, 'kept']);
  await channel.remove({ id });
});

test('a form names its fields in errors, and a new token shows its key', async () => {
  const api = site.as({ kind: 'user', id: 1, role: 1, group: 'default' });
  const { terminal, type, sees, misses } = await opened({ screen: 'tokens', api, role: 1 });
  await sees('ide-key');
  type('a');
  await sees('Create token');
  type('fresh\t\u0015lots');
  type('\u0013');
  await sees('left: must be an amount in USD');
  await misses('--usd');
  type('\u0015unlimited');
  type('\u0013');
  await sees(/sk-\w{20}/);
  expect(terminal.written.join('')).toContain('52;c;');
  const { items } = await api.token.list({ keyword: 'fresh' });
  expect(items.map(({ unlimited_quota }) => unlimited_quota)).toEqual([true]);
});

test('a code is a gift by yes or no', async () => {
  const { type, sees, misses } = await opened({ screen: 'codes' });
  await sees('spring');
  type('a');
  await sees('Create codes');
  type('present\t\t\t\u0015maybe');
  type('\u0013');
  await sees(/gift: .*yes/);
  type('\u0015yes');
  type('\u0013');
  await sees('1 code');
  await misses('Create codes');
  const { items } = await site.as(OPERATOR).redemption.list({ keyword: 'present' });
  expect(items.map(({ is_gift }) => is_gift)).toEqual([true]);
});

test('following the log shows new calls on top', async () => {
  const { runtime, sees } = await opened({ screen: 'logs' });
  await sees('FOLLOW');
  const fresh = { ...aLog(Math.floor(site.ctx.now() / 1000), 1), model_name: 'brand-new' };
  await inTransaction(site.ctx, (ctx) => insertLogs(ctx.db, [fresh]));
  runtime.poller.readNow();
  await sees(/> .*brand-new/);
});

test('entries of an import are put at their time, not on top', async () => {
  const { runtime, sees } = await opened({ screen: 'logs' });
  await sees('FOLLOW');
  const nowSec = Math.floor(site.ctx.now() / 1000);
  const imported = { ...aLog(nowSec - 300, 1), model_name: 'imported' };
  const fresh = { ...aLog(nowSec + 1, 1), model_name: 'called-now' };
  await inTransaction(site.ctx, (ctx) => insertLogs(ctx.db, [fresh, imported]));
  runtime.poller.readNow();
  await sees(/> .*called-now/);
  const rows = runtime.opened()?.list.rows.map((row) => row as LogRow & { id: number });
  const at = rows?.findIndex(({ model_name }) => model_name === 'imported') ?? 0;
  expect(at).toBeGreaterThan(0);
  expect(rows?.[at - 1]?.created_at).toBeGreaterThan(imported.created_at);
  expect(rows?.[at + 1]?.created_at).toBeLessThan(imported.created_at);
});

test('the command line opens filtered screens, completes words and sets the language', async () => {
  const { runtime, type, sees } = await opened();
  type(':us\t');
  await sees(':users');
  type('alice');
  type(ENTER);
  await sees('filter: alice');
  type(':lang zh');
  type(ENTER);
  await sees('用户');
  type(':nonsense');
  type(ENTER);
  await sees('没有命令 nonsense');
  expect(runtime.state.screen).toBe('users');
});

test('reports a failure once and keeps the last data', async () => {
  const real = site.as(OPERATOR);
  let isDown = false;
  const list: Clients['user']['list'] = async (input) => {
    if (isDown) throw new Error('down');
    return real.user.list(input);
  };
  const api = { ...real, user: { ...real.user, list } };
  const { runtime, type, sees } = await opened({ screen: 'users', api });
  await sees('alice');
  isDown = true;
  runtime.poller.readNow();
  await sees('OFFLINE');
  await sees('alice');
  runtime.poller.readNow();
  await until(() => expect(runtime.state.reads.users.failures).toBeGreaterThan(1));
  expect(runtime.state.messages.length).toBe(1);
  isDown = false;
  type('r');
  await sees('LIVE');
});

test('an error on the dashboard opens its log entry', async () => {
  const { runtime, type, sees } = await opened();
  await sees('Recent errors');
  type('j');
  type(ENTER);
  await sees(/filter: request:req-\d+/);
  await sees(/content {2}429 rate limit reached/);
  expect(runtime.state.screen).toBe('logs');
});

test('q asks for confirmation while options are unsaved, Ctrl+C does not', async () => {
  const { runtime, terminal, type, sees } = await opened({ screen: 'options' });
  runtime.memory.drafts.set('RetryTimes', '9');
  type('q');
  await sees('Options not saved: 1');
  expect(terminal.ending).toBeUndefined();
  type('\u0003');
  expect(terminal.ending).toBe('quit');
});

test('a single channel is turned off only after a confirmation', async () => {
  const { id } = await site.aChannel({ name: 'lone', models: 'gpt-4o' });
  const { type, sees, misses } = await opened({ screen: 'channels' });
  type('/name:lone\r');
  await sees('1 shown');
  type('D');
  await sees('Turn off 1 channel?');
  type(ENTER);
  await misses('Turn off');
  expect((await site.as(OPERATOR).channel.get({ id })).status).toBe(1);
  await site.as(OPERATOR).channel.remove({ id });
});

test('the tag view changes a whole tag after confirmation of name and count', async () => {
  const api = site.as(OPERATOR);
  const models = 'gpt-4o';
  const ids: number[] = [];
  for (const name of ['pair-1', 'pair-2']) {
    ids.push((await site.aChannel({ name, models, tag: 'pair', priority: 50 })).id);
  }
  const each = () => Promise.all(ids.map((id) => api.channel.get({ id })));
  const { type, sees, misses } = await opened({ screen: 'channels' });
  await sees('pair-1');
  type('/name:pair-1\r');
  await misses('pair-2');
  type('#');
  await sees('act on the whole tag');
  type('D');
  await sees('Turn off 2 channels with the tag pair');
  await sees(/pair-\d, pair-\d/);
  type(ENTER);
  await misses('Turn off');
  expect((await each()).map(({ status }) => status)).toEqual([1, 1]);
  type('D');
  await sees('Turn off 2 channels');
  type('\t');
  type(ENTER);
  await sees('2 turned off');
  expect((await each()).map(({ status }) => status)).toEqual([2, 2]);
  type('P');
  await sees('2 channels with the tag pair');
  type('\u00157');
  type(ENTER);
  await until(async () => expect((await each()).map(({ priority }) => priority)).toEqual([7, 7]));
  await api.channelBatch.remove({ ids });
});
