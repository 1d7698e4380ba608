/** The checks of a key in order, each with the text that existing clients compare. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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
import {
  aSite,
  eventually,
  OPERATOR,
  type Site,
  type SiteAnswer,
  type SiteToken,
} from '../../support/site.ts';
import { CHAT } from '../../upstream/wire.ts';
import { type Refusal, refusalIn, withoutCost } from '../refusal.ts';
import { setPrice } from '../tenant.ts';

let site: Site;
beforeAll(async () => {
  site = await aSite();
});
beforeEach(() => site.upstream.reset());
afterAll(() => site.close());

const CHINESE = { 'accept-language': 'zh' };

function call(token: SiteToken, more: object = {}): Promise<SiteAnswer> {
  return site.call({ body: CHAT, key: token.key, ...more });
}

/** The refusal in English, the default; only its text differs in Chinese. */
async function refused(token: SiteToken, more: { body?: unknown } = {}): Promise<Refusal> {
  return withoutCost(site, async () => {
    const byDefault = refusalIn(await call(token, more));
    const chinese = refusalIn(await call(token, { ...more, headers: CHINESE }));
    expect({ ...chinese, message: byDefault.message }).toEqual(byDefault);
    expect(chinese.message).toMatch(/\p{Script=Han}/u);
    expect(byDefault.message).toMatch(/^[\x20-\x7e]+$/);
    return byDefault;
  });
}

/** Writes columns directly, because the services refuse such a token. */
async function store(token: SiteToken, columns: Readonly<Record<string, unknown>>): Promise<void> {
  await writing(site.ctx, async (ctx) => {
    await ctx.db('tokens').where({ id: token.id }).update(columns);
    await announceChange(ctx.db, 'tokens', token.id);
  });
}

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
      status: 401,
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

  test('that the service disables or enables changes immediately', async () => {
    const token = await site.addToken();
    expect((await call(token)).status).toBe(200);
    await site.as(OPERATOR).token.setStatus({ id: token.id, status: 2 });
    expect(refusalIn(await call(token)).message).toBe('This API token is disabled.');
    await site.as(OPERATOR).token.setStatus({ id: token.id, status: 1 });
    expect((await call(token)).status).toBe(200);
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
    expect((await call(token)).status).toBe(401);
    await site.as(OPERATOR).token.edit({ id: token.id, remain_quota: 100_000 });
    expect((await call(token)).status).toBe(200);
  });

  test('without a limit of its own is never exhausted', async () => {
    const token = await site.addToken({ unlimited_quota: true, remain_quota: 0 });
    expect((await call(token)).status).toBe(200);
    expect((await call(token)).status).toBe(200);
    expect((await site.tokenBalance(token.id)).remain_quota).toBeLessThan(0);
  });

  test('that is deleted is unknown immediately', async () => {
    const token = await site.addToken();
    expect((await call(token)).status).toBe(200);
    await site.as(OPERATOR).token.remove({ id: token.id });
    expect(await refused(token)).toMatchObject({
      status: 401,
      message: 'This API token is not valid.',
    });
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
  test('that is banned is refused immediately, and accepted again once enabled', async () => {
    const owner = await site.addUser();
    const token = await site.addToken({ owner });
    expect((await call(token)).status).toBe(200);
    await site.as(OPERATOR).user.manage({ id: owner.id, action: 'disable' });
    expect(await refused(token)).toEqual({
      status: 403,
      message: 'This user is banned.',
      type: 'gateway_error',
      param: null,
      code: 'user_banned',
    });
    await site.as(OPERATOR).user.manage({ id: owner.id, action: 'enable' });
    expect((await call(token)).status).toBe(200);
  });

  test('that is deleted invalidates the tokens immediately', async () => {
    const owner = await site.addUser();
    const token = await site.addToken({ owner });
    expect((await call(token)).status).toBe(200);
    await site.as(OPERATOR).user.manage({ id: owner.id, action: 'delete' });
    expect(await refused(token)).toMatchObject({
      status: 401,
      message: 'This API token is not valid.',
    });
  });

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

describe('the IP allow list of a token', () => {
  beforeAll(() => site.option('ReverseProxyEnabled', true));
  afterAll(() => site.option('ReverseProxyEnabled', false));

  const from = (token: SiteToken, address: string) =>
    call(token, { headers: { 'x-real-ip': address } });

  test.each([
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.0/24', '203.0.114.0', false],
    ['2001:db8::1', '2001:0db8:0:0:0:0:0:1', true],
    ['2001:db8::/32', '2001:db8:ffff::9', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['203.0.113.7', '::ffff:203.0.113.7', true],
    ['198.51.100.1\n203.0.113.7', '203.0.113.7', true],
    ['198.51.100.1, \n 203.0.113.7,', '203.0.113.7', true],
    ['0.0.0.0/0', '2001:db8::1', false],
  ])('%j accepts %s: %s', async (list, address, isIn) => {
    const token = await site.addToken({ allow_ips: list });
    const answer = await from(token, address);
    expect(answer.status).toBe(isIn ? 200 : 403);
    if (!isIn)
      expect(refusalIn(answer).message).toBe(
        'This API token does not allow calls from your IP address.',
      );
  });

  test('refuses before the body is read', async () => {
    const token = await site.addToken({ allow_ips: '203.0.113.7' });
    expect(await refused(token, { body: { nonsense: true } })).toEqual({
      status: 403,
      message: 'This API token does not allow calls from your IP address.',
      type: 'gateway_error',
      param: null,
      code: 'address_denied',
    });
  });

  test('that cannot be parsed (written by an older installation) accepts no address', async () => {
    const token = await site.addToken();
    await store(token, { allow_ips: 'not an address' });
    expect((await from(token, '203.0.113.7')).status).toBe(403);
  });
});

describe('the group of a token', () => {
  test('that its owner may not use is refused', async () => {
    await site.option('UserUsableGroups', { default: 'Default', vip: 'VIP' });
    const token = await site.addToken({ group: 'vip' });
    await site.option('UserUsableGroups', { default: 'Default' });
    expect(await refused(token)).toEqual({
      status: 403,
      message: 'The owner of this API token may not use its group vip.',
      type: 'gateway_error',
      param: null,
      code: 'token_group_denied',
    });
  });

  test("may always be its owner's own", async () => {
    await site.option('UserUsableGroups', { default: 'Default' });
    const owner = await site.addUser({ group: 'vip' });
    const token = await site.addToken({ owner, group: 'vip' });
    await site.addChannel({ group: 'vip', models: 'gpt-4o-mini' });
    const answer = await call(token);
    expect(answer.status).toBe(200);
    expect((await site.logOf(answer.requestId))?.group).toBe('vip');
  });

  describe('auto', () => {
    const OF_ALL = { default: 'Default', vip: 'VIP', cheap: 'Cheap' };
    let model = 'auto-model-0';
    let number = 0;
    beforeEach(async () => {
      number += 1;
      model = `auto-model-${number}`;
      await setPrice(site, model, { ratio: '100', completion: '1' });
      await site.option('GroupRatio', { default: 1, vip: 3, svip: 1, cheap: 0.5, hidden: 1 });
      await site.option('UserUsableGroups', OF_ALL);
      await site.option('AutoGroups', ['hidden', 'cheap', 'vip']);
    });
    afterAll(async () => {
      await site.option('AutoGroups', []);
      await site.option('RetryTimes', 0);
      await site.option('UserUsableGroups', { default: 'Default', vip: 'VIP' });
    });

    async function served(token: SiteToken) {
      const answer = await call(token, { body: { ...CHAT, model } });
      return { answer, log: await site.logOf(answer.requestId) };
    }

    test('is served and priced by the first group that has the model and is usable', async () => {
      const token = await site.addToken({ group: 'auto' });
      await site.addChannel({ group: 'hidden', models: model });
      await site.addChannel({ group: 'vip', models: model });
      const { log } = await served(token);
      expect(log).toMatchObject({ group: 'vip' });
      await site.addChannel({ group: 'cheap', models: model });
      const cheaper = await served(token);
      expect(cheaper.log).toMatchObject({ group: 'cheap' });
      expect(Number(log?.quota)).toBe(6 * Number(cheaper.log?.quota));
      const { text } = await site.call({ path: '/v1/models', key: token.key });
      expect(text).toContain(`"${model}"`);
    });

    test('falls back to the next group when the channels of the first one fail', async () => {
      await site.option('RetryTimes', 1);
      const token = await site.addToken({ group: 'auto' });
      await site.addChannel({ group: 'cheap', models: model });
      const next = await site.addChannel({ group: 'vip', models: model });
      site.upstream.script('status:500');
      const { log } = await served(token);
      expect(log).toMatchObject({ group: 'vip', channel_id: next.id });
      expect(await site.openHolds()).toBe(0);
      site.upstream.script('status:500', 'status:500');
      expect((await served(token)).answer.status).toBe(500);
      expect(await site.openHolds()).toBe(0);
    });

    test('is refused if its owner may use none of the groups, or the list is empty', async () => {
      const token = await site.addToken({ group: 'auto' });
      await site.option('AutoGroups', ['hidden']);
      expect((await refused(token)).code).toBe('token_group_denied');
      await site.option('AutoGroups', []);
      expect((await refused(token)).code).toBe('token_group_denied');
    });

    test('is offered for tokens only while the list is set', async () => {
      const owner = await site.addUser();
      const account = { kind: 'user', id: owner.id, role: 1, group: 'default' } as const;
      const offered = () => site.as(account).account.groups({});
      expect((await offered()).auto).toEqual({ desc: 'cheap → vip' });
      await site.option('AutoGroups', []);
      expect(await offered()).not.toHaveProperty('auto');
      await expect(site.addToken({ owner, group: 'auto' })).rejects.toMatchObject({
        code: 'input_invalid',
      });
    });
  });

  test('that no longer exists is refused, whether the token names it or not', async () => {
    await site.option('GroupRatio', { ...site.ctx.options().get('GroupRatio'), old: 1 });
    const owner = await site.addUser({ group: 'old' });
    const [plain, named] = [
      await site.addToken({ owner }),
      await site.addToken({ owner, group: 'old' }),
    ];
    await site.as(OPERATOR).group.remove({ name: 'old', force: true });
    for (const token of [plain, named])
      expect(await refused(token)).toMatchObject({
        status: 403,
        message: 'The group old no longer exists.',
        code: 'group_retired',
      });
  });
});

describe('the model list of a token', () => {
  test('refuses other models', async () => {
    const token = await site.addToken({ model_limits_enabled: true, model_limits: 'gpt-4o' });
    expect(await refused(token)).toEqual({
      status: 403,
      message: 'This API token may not use the model gpt-4o-mini.',
      type: 'gateway_error',
      param: 'model',
      code: 'model_not_allowed',
    });
    expect((await call(token, { body: { ...CHAT, model: 'gpt-4o' } })).status).toBe(200);
  });

  test('uses the full name, prefix included', async () => {
    await site.addChannel({ models: 'gpt-4o', model_prefix: 'fast/' });
    const token = await site.addToken({ model_limits_enabled: true, model_limits: 'gpt-4o' });
    const aliasCall = { body: { ...CHAT, model: 'fast/gpt-4o' } };
    expect((await refused(token, aliasCall)).message).toBe(
      'This API token may not use the model fast/gpt-4o.',
    );
    await site.as(OPERATOR).token.edit({ id: token.id, model_limits: 'gpt-4o,fast/gpt-4o' });
    expect((await call(token, aliasCall)).status).toBe(200);
  });

  test('is ignored while it is switched off', async () => {
    const token = await site.addToken({ model_limits_enabled: false, model_limits: 'gpt-4o' });
    expect((await call(token)).status).toBe(200);
  });

  test('reports models that no channel of the group has as unknown', async () => {
    const body = { ...CHAT, model: 'no-such-model' };
    expect(await refused(site.token, { body })).toEqual({
      status: 404,
      message: 'The model no-such-model does not exist or you do not have access to it.',
      type: 'invalid_request_error',
      param: 'model',
      code: 'model_not_found',
    });
  });
});

describe('a change by another process on the same database', () => {
  const WITHIN_MS = 1_000;
  let other: OpenedSite;
  beforeAll(async () => {
    const { dataDir } = site.ctx.config;
    other = await boot(loadConfig({ dataDir, database: site.dsn, logLevel: 'silent' }, {}));
  });
  afterAll(() => other.close());

  test('applies to tokens, users and channels within a second', async () => {
    const owner = await site.addUser();
    const token = await site.addToken({ owner });
    const outside = {
      token: localClient(tokenCalls, tokens, other.ctx, OPERATOR),
      user: localClient(userCalls, users, other.ctx, OPERATOR),
      channel: localClient(channelCalls, channels, other.ctx, OPERATOR),
    };
    const becomes = async (status: number) =>
      eventually(
        `the call answers ${status}`,
        async () => (await call(token)).status === status,
        WITHIN_MS,
      );
    await becomes(200);
    await outside.user.manage({ id: owner.id, action: 'disable' });
    await becomes(403);
    await outside.user.manage({ id: owner.id, action: 'enable' });
    await becomes(200);
    await outside.channel.setStatus({ id: site.channel.id, status: 2, force: true });
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
