/** The group of a token, which decides the channels and the price of its calls. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR, type SiteToken } from '../../support/site.ts';
import { CHAT } from '../../upstream/wire.ts';
import { setPrice } from '../tenant.ts';
import { tokenCallsOf } from './token-call.ts';

const site = await sharedSite();

const { call, refused } = tokenCallsOf(() => site);

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
    await site.as(OPERATOR).group.remove({ name: 'old' });
    for (const token of [plain, named])
      expect(await refused(token)).toMatchObject({
        status: 403,
        message: 'The group old no longer exists.',
        code: 'group_retired',
      });
  });
});
