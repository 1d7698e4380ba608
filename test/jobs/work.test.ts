/** Tests the work of each background job. */
import { describe, expect, it } from 'vitest';
import { JOB_NAMES } from '../../src/domain/jobs.ts';
import { TOKEN_STATUS } from '../../src/domain/statuses.ts';
import { JOB_FUNCTIONS } from '../../src/jobs/job-functions.ts';
import { aBudget, windowsOf } from '../support/budgets.ts';
import { databases } from '../support/databases.ts';
import { OPERATOR } from '../support/local-site.ts';
import { sharedLocalSite } from '../support/shared-site.ts';
import { startFakeUpstream } from '../upstream/server.ts';

const NEVER = new AbortController().signal;
const HOUR = 3600;

describe.each(databases)('the work of jobs on $kind', async ({ kind }) => {
  const nowSec = () => Math.floor(site.ctx.now() / 1000);
  const site = await sharedLocalSite(kind);

  const statusOf = async (id: number) =>
    Number((await site.ctx.db('tokens').where({ id }).first('status'))?.status);

  it('marks expired tokens, invalidates caches, and leaves other tokens unchanged', async () => {
    const owner = await site.aUser();
    const soon = { expired_time: nowSec() + HOUR };
    const many = await Promise.all(Array.from({ length: 5 }, () => site.aToken(owner, soon)));
    const late = await site.aToken(owner, { expired_time: nowSec() + 3 * HOUR });
    const endless = await site.aToken(owner);
    const off = await site.aToken(owner, soon);
    await site.as(OPERATOR).token.edit({ id: off.id, status: TOKEN_STATUS.disabled });
    const received: unknown[] = [];
    site.ctx.changes.on('tokens', (ids) => void received.push(...(ids === 'all' ? ['all'] : ids)));
    await JOB_FUNCTIONS.token_expiry(site.ctx, NEVER);
    expect(received).toEqual([]);
    site.pass(2 * HOUR);
    await JOB_FUNCTIONS.token_expiry(site.ctx, NEVER);
    for (const { id } of many) expect(await statusOf(id)).toBe(TOKEN_STATUS.expired);
    expect([...received].sort()).toEqual(many.map(({ id }) => id).sort());
    expect(await statusOf(late.id)).toBe(TOKEN_STATUS.enabled);
    expect(await statusOf(endless.id)).toBe(TOKEN_STATUS.enabled);
    expect(await statusOf(off.id)).toBe(TOKEN_STATUS.disabled);
  });

  it('fills the compared names of a previous version, and keeps names that are alike', async () => {
    const { db } = site.ctx;
    const created_time = nowSec();
    const names = ['Old', 'OLD', 'Ancien\u00e9', 'ancienE\u0301'];
    for (const username of names) await db('users').insert({ username, created_time });
    const register = (username: string) =>
      site.as(OPERATOR).account.register({ username, password: 'long enough' });
    await expect(register('oLD')).rejects.toMatchObject({ code: 'user_name_taken' });
    await JOB_FUNCTIONS.user_names(site.ctx, NEVER);
    const rows = await db('users').whereIn('username', names).orderBy('id');
    expect(rows.map((row) => row.username_key)).toEqual(['old', null, 'ancien\u00e9', null]);
    for (const name of ['oLD', 'ANCIENE\u0301'])
      await expect(register(name)).rejects.toMatchObject({ code: 'user_name_taken' });
    const [, second] = rows;
    await site.as(OPERATOR).user.edit({ id: Number(second.id), username: 'Older' });
    await expect(register('oLDER')).rejects.toMatchObject({ code: 'user_name_taken' });
  });

  it('marks more tokens than fit in one transaction', async () => {
    const owner = await site.aUser();
    const rows = Array.from({ length: 450 }, (_, index) => ({
      user_id: owner.id,
      key_hash: String(index).padStart(64, '0'),
      key_cipher: '',
      expired_time: nowSec() - 1,
    }));
    await site.ctx.db.batchInsert('tokens', rows, 100);
    await JOB_FUNCTIONS.token_expiry(site.ctx, NEVER);
    const left = await site.ctx.db('tokens').where({ user_id: owner.id, status: 1 });
    expect(left).toHaveLength(0);
  });

  it('deletes only expired sessions, expired codes and old changes', async () => {
    const session = { user_id: 1, version: 0, created_at: 1, seen_at: 1 };
    await site.ctx.db('sessions').insert([
      { ...session, id_hash: 'over', expires_at: nowSec() - 1 },
      { ...session, id_hash: 'open', expires_at: nowSec() + 1 },
    ]);
    const change = { scope: 'test', entity_id: 1 };
    const realSec = Math.floor(Date.now() / 1000);
    await site.ctx.db('changes').insert([
      { ...change, revision: 1, created_at: realSec - 2 * HOUR },
      { ...change, revision: 2, created_at: realSec },
    ]);
    const ledgerRows = (await site.ctx.db('ledger')).length;
    await JOB_FUNCTIONS.cleanup(site.ctx, NEVER);
    expect(await site.ctx.db('sessions').pluck('id_hash')).toEqual(['open']);
    expect(await site.ctx.db('changes').where({ scope: 'test' }).pluck('revision')).toEqual([2]);
    expect(await site.ctx.db('ledger')).toHaveLength(ledgerRows);
  });

  it('deletes windows of budgets after a year', async () => {
    const { ctx } = site;
    const id = await aBudget(ctx, { limit_amount: 5, period: 'hour' });
    for (const days of [366, 364]) {
      const ends_at = nowSec() - days * 24 * HOUR;
      await ctx.db('budget_windows').insert({ budget_id: id, starts_at: ends_at - HOUR, ends_at });
    }
    await JOB_FUNCTIONS.cleanup(ctx, NEVER);
    expect(await windowsOf(ctx, id)).toHaveLength(1);
  });

  it('aggregates new log entries for the dashboard, and deletes entries past their retention', async () => {
    const { ctx } = site;
    const line = { user_id: 7, username: 'ann', type: 2, model_name: 'gpt-4o', quota: 30 };
    await ctx.db('logs').insert([
      { ...line, request_id: 'old', created_at: nowSec() - 40 * 24 * HOUR },
      { ...line, request_id: 'new', created_at: nowSec() - 60 },
    ]);
    // Except on SQLite, an entry is counted only a while after it was first seen.
    await JOB_FUNCTIONS.dashboard(ctx, NEVER);
    site.pass(HOUR);
    await JOB_FUNCTIONS.dashboard(ctx, NEVER);
    const counted = await ctx.db('quota_data').where({ user_id: 7 }).sum({ n: 'count' }).first();
    expect(Number(counted?.n)).toBe(2);
    await site.as(OPERATOR).option.set({ key: 'LogRetentionDays', value: 30 });
    await JOB_FUNCTIONS.log_retention(ctx, NEVER);
    expect(await ctx.db('logs').where({ user_id: 7 }).pluck('request_id')).toEqual(['new']);
  });

  it('tests every channel and queries every balance', async () => {
    const upstream = await startFakeUpstream({ keys: ['sk-upstream'] });
    const channel = await site.aChannel({ base_url: upstream.url, key: 'sk-upstream' });
    await JOB_FUNCTIONS.channel_test(site.ctx, NEVER);
    await JOB_FUNCTIONS.channel_balance(site.ctx, NEVER);
    await upstream.close();
    const tested = await site.ctx.db('channels').where({ id: channel.id }).first('test_time');
    expect(Number(tested?.test_time)).toBe(nowSec());
    expect(upstream.requests.map(({ path }) => path)).toContain('/v1/chat/completions');
    expect(upstream.requests.some(({ path }) => path.includes('billing'))).toBe(true);
  });

  it('ends when its signal is aborted', async () => {
    const ended = AbortSignal.abort(new Error('stopping'));
    for (const name of JOB_NAMES)
      await expect(JOB_FUNCTIONS[name](site.ctx, ended), name).rejects.toThrow('stopping');
  });
});
