/** The checks of a token and its owner, in order. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tokenCalls } from '../../../src/api/accounts/token.ts';
import { userCalls } from '../../../src/api/accounts/user.ts';
import { channelCalls } from '../../../src/api/channels/channel.ts';
import { localClient } from '../../../src/api/local.ts';
import { boot, type OpenedSite } from '../../../src/boot.ts';
import { loadConfig } from '../../../src/config.ts';
import * as users from '../../../src/services/accounts/users.ts';
import * as channels from '../../../src/services/channels/channels.ts';
import { writing } from '../../../src/services/cluster/announced-write.ts';
import * as tokens from '../../../src/services/tokens/tokens.ts';
import { announceChange } from '../../../src/store/tables/changes-table.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, OPERATOR, type SiteToken } from '../../support/site.ts';
import { CHAT } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';
import { tokenCallsOf } from './token-call.ts';

const site = await sharedSite();

const { call, refused, store } = tokenCallsOf(() => site);

async function statusOf(token: SiteToken): Promise<number> {
  return (await site.as(OPERATOR).token.get({ id: token.id })).status;
}

function mask(token: SiteToken): string {
  const key = token.key.replace(/^sk-/, '');
  return `sk-${key.slice(0, 3)}***${key.slice(-3)}`;
}

const PAST_SEC = Math.floor(Date.now() / 1000) - 60;

describe('a token', () => {
  test('with an exhausted status is refused with its masked key', async () => {
    const token = await site.addToken();
    await store(token, { status: 4 });
    expect(await refused(token)).toEqual({
      status: 402,
      message: `The quota of this API token is used up: ${mask(token)}.`,
      type: 'gateway_error',
      param: null,
      code: 'insufficient_quota',
    });
  });

  test.each([
    ['expired by status', { status: 3 }, 'This API token has expired.'],
    ['disabled by status', { status: 2 }, 'This API token is disabled.'],
    ['of an unknown status', { status: 9 }, 'This API token is disabled.'],
  ])('%s is refused', async (_case, columns, message) => {
    const token = await site.addToken();
    await store(token, columns);
    expect(await refused(token)).toMatchObject({ status: 401, message, code: 'invalid_api_key' });
  });

  test('that has expired is refused and marked expired once', async () => {
    const token = await site.addToken();
    await store(token, { expired_time: PAST_SEC });
    const before = await announcementsOf(token);
    const answers = await Promise.all(Array.from({ length: 8 }, () => call(token)));
    for (const answer of answers)
      expect(refusalIn(answer)).toMatchObject({
        status: 401,
        message: 'This API token has expired.',
      });
    expect(await statusOf(token)).toBe(3);
    expect(await announcementsOf(token)).toBe(before + 1);
  });

  test('without quota left is refused and marked exhausted once', async () => {
    const token = await site.addToken({ remain_quota: 0 });
    const before = await announcementsOf(token);
    const answers = await Promise.all(Array.from({ length: 8 }, () => call(token)));
    const texts = new Set(answers.map((answer) => refusalIn(answer).message));
    const drained = `The quota of this API token is used up: ${mask(token)}, 0 left.`;
    const marked = `The quota of this API token is used up: ${mask(token)}.`;
    expect([...texts].filter((text) => text !== drained && text !== marked)).toEqual([]);
    expect(texts).toContain(drained);
    expect(await statusOf(token)).toBe(4);
    expect(await announcementsOf(token)).toBe(before + 1);
    expect(refusalIn(await call(token)).message).toBe(marked);
  });

  const UNITS_A_CALL = 1_000;

  test('that is exhausted by its own calls is refused by the next one', async () => {
    const token = await site.addToken({ remain_quota: UNITS_A_CALL });
    await site.option('ModelPrice', { [CHAT.model]: UNITS_A_CALL / 500_000 });
    expect((await call(token)).status).toBe(200);
    await site.option('ModelPrice', {});
    const { remain_quota: left } = await site.tokenBalance(token.id);
    expect(left).toBeLessThanOrEqual(0);
    expect(refusalIn(await call(token)).message).toBe(
      `The quota of this API token is used up: ${mask(token)}, ${left} left.`,
    );
    expect(await statusOf(token)).toBe(4);
  });

  test('that was exhausted works again once it is given quota', async () => {
    const token = await site.addToken({ remain_quota: 0 });
    expect((await call(token)).status).toBe(402);
    await site.as(OPERATOR).token.edit({ id: token.id, remain_quota: 100_000 });
    expect((await call(token)).status).toBe(200);
  });

  test('without a limit of its own is never exhausted', async () => {
    const token = await site.addToken({ unlimited_quota: true, remain_quota: 0 });
    expect((await call(token)).status).toBe(200);
    expect((await call(token)).status).toBe(200);
    expect((await site.tokenBalance(token.id)).remain_quota).toBeLessThan(0);
  });

  test('that is both disabled and expired is reported as disabled', async () => {
    const token = await site.addToken();
    await store(token, { status: 2, expired_time: PAST_SEC });
    expect((await refused(token)).message).toBe('This API token is disabled.');
    expect(await statusOf(token)).toBe(2);
  });
});

/** The number of change notifications for the token. */
async function announcementsOf(token: SiteToken): Promise<number> {
  const changes = site.ctx.reads('changes').where({ scope: 'tokens', entity_id: token.id });
  return Number((await changes.count({ n: '*' }).first())?.n);
}

describe('the owner of a token', () => {
  test('that no longer exists is refused with 401 even if a token remains', async () => {
    const owner = await site.addUser();
    const token = await site.addToken({ owner });
    await writing(site.ctx, async (ctx) => {
      await ctx.db('users').where({ id: owner.id }).update({ deleted_at: PAST_SEC });
      await announceChange(ctx.db, 'users', owner.id);
    });
    expect(await refused(token)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  test('that changes group makes calls in the new one immediately', async () => {
    const owner = await site.addUser();
    const token = await site.addToken({ owner });
    expect((await call(token)).status).toBe(200);
    await site.as(OPERATOR).user.edit({ id: owner.id, group: 'svip' });
    expect(refusalIn(await call(token))).toMatchObject({ status: 404, code: 'model_not_found' });
  });
});

describe('a change by another process on the same database', () => {
  let other: OpenedSite;
  beforeAll(async () => {
    const { dataDir } = site.ctx.config;
    other = await boot(loadConfig({ dataDir, database: site.dsn, logLevel: 'silent' }, {}));
  });
  afterAll(() => other.close());

  test('applies to tokens, users and channels', async () => {
    const owner = await site.addUser();
    const token = await site.addToken({ owner });
    const outside = {
      token: localClient(tokenCalls, tokens, other.ctx, OPERATOR),
      user: localClient(userCalls, users, other.ctx, OPERATOR),
      channel: localClient(channelCalls, channels, other.ctx, OPERATOR),
    };
    const becomes = async (status: number) =>
      eventually(`the call answers ${status}`, async () => (await call(token)).status === status);
    await becomes(200);
    await outside.user.manage({ id: owner.id, action: 'disable' });
    await becomes(403);
    await outside.user.manage({ id: owner.id, action: 'enable' });
    await becomes(200);
    await outside.channel.setStatus({ id: site.channel.id, status: 2 });
    await becomes(503);
    await outside.channel.setStatus({ id: site.channel.id, status: 1 });
    await becomes(200);
    await outside.token.setStatus({ id: token.id, status: 2 });
    await becomes(401);
    await outside.token.setStatus({ id: token.id, status: 1 });
    await becomes(200);
    await outside.user.manage({ id: owner.id, action: 'delete' });
    await becomes(401);
  });
});
