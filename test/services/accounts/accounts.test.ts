import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/api/call.ts';
import { hashPassword, verifyPassword } from '../../../src/services/credentials/passwords.ts';
import { passwordHashOf, userById } from '../../../src/store/tables/users-table.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal, outcomesOf } from '../../support/expect-refusal.ts';
import { createLocalSite, OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const GUEST = { kind: 'user', id: 0, role: 0, group: '' } as const;

describe('the own account', async () => {
  const site = await sharedLocalSite();
  const password = await hashPassword('first password');

  it("is shown with all the owner's data, and no credential", async () => {
    const { actor, id } = await site.aUser({
      username: 'ann',
      email: 'a@x.org',
      quota: 9,
      password,
    });
    await site.as(actor).account.newToken({});
    const self = await site.as(actor).account.self({});
    expect(self).toEqual({
      id,
      username: 'ann',
      display_name: '',
      role: 1,
      status: 1,
      email: 'a@x.org',
      github_id: '',
      oidc_id: '',
      wechat_id: '',
      telegram_id: '',
      linux_do_id: '',
      group: 'default',
      quota: 9,
      used_quota: 0,
      held: 0,
      request_count: 0,
      aff_code: expect.stringMatching(/^\w{8}$/),
      aff_count: 0,
      aff_quota: 0,
      aff_history_quota: 0,
      inviter_id: 0,
      language: null,
      max_concurrency: 0,
      tokens_per_minute: 0,
      created_time: Date.UTC(2026, 10, 21, 12) / 1000,
      last_login_time: 0,
      DeletedAt: null,
      setting: '{}',
      has_password: true,
      has_webhook_secret: false,
      notice_failing_since: 0,
      notice_failure: '',
      has_access_token: true,
    });
  });

  it('requires a signed-in user, neither a guest nor the operator', async () => {
    for (const actor of [GUEST, OPERATOR])
      await expectRefusal(site.as(actor).account.self({}), 'not_signed_in');
  });

  it('accepts a new name and display name; empty fields keep the old values', async () => {
    const { actor } = await site.aUser({ username: 'before', display_name: 'Before' });
    const { account } = site.as(actor);
    expect(await account.editSelf({ username: 'after', display_name: '' })).toMatchObject({
      username: 'after',
      display_name: 'Before',
    });
    expect(await account.editSelf({ username: '', display_name: 'After' })).toMatchObject({
      username: 'after',
      display_name: 'After',
    });
    const { items } = await site.as(OPERATOR).log.list({ username: 'after', type: 3 });
    expect(items[0]).toMatchObject({ content: 'Account changed: Display name' });
  });

  it('refuses a name in use, and any name while renaming is disabled', async () => {
    const [first, second] = [await site.aUser(), await site.aUser()];
    const { account } = site.as(first.actor);
    await expectRefusal(account.editSelf({ username: second.username }), 'user_name_taken');
    await site.as(OPERATOR).option.set({ key: 'UsernameChangeEnabled', value: false });
    await expectRefusal(account.editSelf({ username: 'fresh' }), 'username_change_off');
    await account.editSelf({ username: first.username, display_name: 'Fine' });
    await site.as(OPERATOR).option.set({ key: 'UsernameChangeEnabled', value: true });
  });

  it('accepts a new password only with the current one, and then ends the sessions', async () => {
    const { actor, id } = await site.aUser({ password });
    const { account } = site.as(actor);
    for (const original_password of [undefined, '', 'wrong'])
      await expect(
        account.editSelf({ password: 'second password', original_password }),
      ).rejects.toMatchObject({ param: 'original_password' });
    await account.editSelf({
      password: 'second password',
      original_password: 'first password',
    });
    expect(await verifyPassword(await passwordHashOf(site.ctx.db, id), 'second password')).toBe(
      'right',
    );
    expect(await userById(site.ctx.db, id)).toMatchObject({ session_version: 2 });
  });

  it('is locked for a while after ten wrong current passwords', async () => {
    const { actor, id } = await site.aUser({ password });
    const wrong = () =>
      site.as(actor).user.setPassword({ id, password: 'x'.repeat(8), original_password: 'wrong' });
    const outcomes = await outcomesOf(Array.from({ length: 11 }, wrong));
    expect(outcomes).toMatchObject({ login_limited: 1 });
  });

  it('without a password can set a first one', async () => {
    const { actor } = await site.aUser();
    const { account } = site.as(actor);
    expect(await account.self({})).toMatchObject({ has_password: false });
    expect(await account.editSelf({ password: 'first of all' })).toMatchObject({
      has_password: true,
    });
  });

  it("is closed by its owner with its tokens, except for a super admin's", async () => {
    const user = await site.aUser();
    const token = await site.aToken(user);
    await site.as(user.actor).account.newToken({});
    await site.as(user.actor).account.closeSelf({});
    const row = await site.ctx.db('users').where({ id: user.id }).first();
    expect(row).toMatchObject({ access_token_hash: null, session_version: 2 });
    expect(Number(row.deleted_at)).toBe(Math.floor(site.ctx.now() / 1000));
    await expectRefusal(site.as(OPERATOR).token.get({ id: token.id }), 'token_missing_row');
    await expectRefusal(site.as(user.actor).account.self({}), 'user_missing');
    const root = await site.aUser({ role: 100 });
    await expectRefusal(site.as(root.actor).account.closeSelf({}), 'user_protected');
  });

  it('has one access token, which a new one replaces and which can be revoked', async () => {
    const { actor, id } = await site.aUser();
    const { account } = site.as(actor);
    const hash = async () => (await site.ctx.db('users').where({ id }).first()).access_token_hash;
    const first = await account.newToken({});
    const second = await account.newToken({});
    expect(first).toMatch(/^[\w-]{32}$/);
    expect(second).not.toBe(first);
    expect(await hash()).toBe(site.ctx.secrets.hash(second));
    await account.endToken({});
    expect(await hash()).toBeNull();
  });

  it('may choose existing selectable groups, and its own', async () => {
    const { option } = site.as(OPERATOR);
    await option.set({ key: 'GroupRatio', value: { default: 1, vip: 0.5, own: 2 } });
    await option.set({ key: 'UserUsableGroups', value: { vip: 'For friends', gone: 'Gone' } });
    const { actor } = await site.aUser({ group: 'own' });
    expect(await site.as(actor).account.groups({})).toEqual({
      own: { ratio: 2, desc: 'own' },
      vip: { ratio: 0.5, desc: 'For friends' },
    });
    expect(await site.as(GUEST).account.offeredGroups({})).toEqual({
      vip: { ratio: 0.5, desc: 'For friends' },
    });
  });
});

describe.each(databases)('available models on $kind', ({ kind }) => {
  it("are those that enabled channels serve to the user's groups", async () => {
    const site = await createLocalSite(kind);
    const { option } = site.as(OPERATOR);
    await option.set({ key: 'GroupRatio', value: { default: 1, vip: 1, secret: 1 } });
    await option.set({ key: 'UserUsableGroups', value: { vip: 'VIP' } });
    const priced = ['a', 'b', 'd', 's', 'v', 'z'].map((letter) => [`${letter}-model`, 1]);
    await option.set({ key: 'ModelRatio', value: Object.fromEntries(priced) });
    await site.aChannel({ models: 'b-model,a-model', group: 'default' });
    await site.aChannel({ models: 'a-model,v-model', group: 'vip' });
    await site.aChannel({ models: 'z-model', group: 'default', model_prefix: 'fast/' });
    await site.aChannel({ models: 's-model', group: 'secret' });
    await site.aChannel({ models: 'd-model', group: 'default', status: 2 });
    const { actor } = await site.aUser();
    expect(await site.as(actor).account.models({})).toEqual([
      'fast/z-model',
      'a-model',
      'b-model',
      'v-model',
    ]);
    const alone = await site.aUser({ group: 'secret' });
    expect(await site.as(alone.actor).account.models({})).toEqual([
      'a-model',
      's-model',
      'v-model',
    ]);
    await site.close();
  });

  it('are limited to a group and an endpoint on request', async () => {
    const site = await createLocalSite(kind);
    const { option } = site.as(OPERATOR);
    await option.set({ key: 'GroupRatio', value: { default: 1, vip: 1, secret: 1 } });
    await option.set({ key: 'UserUsableGroups', value: { vip: 'VIP' } });
    await option.set({ key: 'AutoGroups', value: ['vip', 'secret'] });
    await site.aChannel({ models: 'gpt-4o,dall-e-3,text-embedding-3-small', group: 'default' });
    await site.aChannel({ models: 'gpt-4o-mini,gpt-realtime', group: 'vip' });
    await site.aChannel({
      models: 'suno_music',
      type: 36,
      base_url: 'https://suno.example.com',
      group: 'vip',
    });
    await site.aChannel({ models: 'o1', group: 'secret' });
    const { account } = site.as((await site.aUser()).actor);
    const chats = (group: string) => account.models({ group, endpoint: 'chat' });
    expect(await account.models({ group: 'vip' })).toEqual([
      'gpt-4o-mini',
      'gpt-realtime',
      'suno_music',
    ]);
    expect(await chats('default')).toEqual(['gpt-4o']);
    expect(await chats('vip')).toEqual(['gpt-4o-mini']);
    expect(await chats('auto')).toEqual(['gpt-4o-mini']);
    expect(await chats('secret')).toEqual([]);
    await site.close();
  });

  it('do not include a model without a price unless the user accepts it', async () => {
    const site = await createLocalSite(kind);
    await site.aChannel({ models: 'gpt-4o,no-price' });
    await site.aChannel({ models: 'kling-v1', type: 1024, key: 'a|b' });
    const { actor } = await site.aUser();
    const admin = await site.aUser({ role: 10 });
    const shown = async (reader: Actor) =>
      (await site.as(reader).public.pricing({})).data.map((entry) => entry.model_name);
    expect(await site.as(actor).account.models({})).toEqual(['gpt-4o']);
    expect(await shown(actor)).toEqual(['gpt-4o']);
    expect(await shown(GUEST)).toEqual(['gpt-4o']);
    expect(await site.as(admin.actor).account.models({})).toEqual(['gpt-4o']);
    const { data } = await site.as(admin.actor).public.pricing({});
    const unpriced = data.find((entry) => entry.model_name === 'no-price');
    expect(unpriced).toMatchObject({ unset: true, model_ratio: 0, model_price: 0 });
    expect(unpriced).not.toHaveProperty('rates');
    await site.as(actor).account.changeSetting({ accept_unset_model_ratio_model: true });
    expect(await site.as(actor).account.models({})).toContain('no-price');
    expect(await shown(actor)).toContain('no-price');
    await site.close();
  });
});
