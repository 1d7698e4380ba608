import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { createSignInSite, sharedSignInSite } from './sign-in-site.ts';

describe('sign-in with a WeChat code', async () => {
  const site = await sharedSignInSite();

  const codeOf = (id: unknown) => site.fake.grant({ user: { id } });
  const rowOf = (wechat_id: string) => site.ctx.db('users').where({ wechat_id }).first();

  it('registers and signs in with the code of its companion server', async () => {
    const browser = site.browser();
    await browser.call('state', {});
    const user = await browser.call('wechat', { code: codeOf('o6_open-id') });
    expect(user).toMatchObject({
      username: expect.stringMatching(/^wechat_\d+$/),
      display_name: 'WeChat User',
    });
    expect(await browser.userId()).toBe(user.id);
    expect(await rowOf('o6_open-id')).toMatchObject({ id: user.id });
    const codeRequest = site.fake.requests.findLast(({ path }) =>
      path.startsWith('/api/wechat/user?code='),
    );
    expect(codeRequest?.headers.authorization).toBe('wechat-token');
  });

  it('by GET requires a browser that started it, and works once per start', async () => {
    const browser = site.browser();
    await expectRefusal(browser.call('wechat', { code: codeOf('a') }), 'oauth_state_invalid');
    await browser.call('state', {});
    await browser.call('wechat', { code: codeOf('b') });
    browser.cookies.delete('session');
    await expectRefusal(browser.call('wechat', { code: codeOf('b') }), 'oauth_state_invalid');
  });

  it('by POST needs no prior start', async () => {
    const browser = site.browser();
    const user = await browser.call('postWechat', { code: codeOf('c') });
    expect(await browser.userId()).toBe(user.id);
  });

  it('a wrong or expired code is reported', async () => {
    const call = site.browser().call('postWechat', { code: '123456' });
    await expectRefusal(call, 'oauth_code_wrong', { param: 'code' });
  });

  it('binds by GET and by POST, for the signed-in user only', async () => {
    const browser = site.browser();
    const user = await site.aUser();
    await expectRefusal(browser.call('postBindWechat', { code: codeOf('d') }), 'not_signed_in');
    await browser.signInAs(user.id);
    await browser.call('state', {});
    await browser.call('bindWechat', { code: codeOf('d') });
    expect(await rowOf('d')).toMatchObject({ id: user.id });
    await browser.call('postBindWechat', { code: codeOf('e') });
    expect(await rowOf('e')).toMatchObject({ id: user.id });
    await expectRefusal(browser.call('bindWechat', { code: codeOf('d') }), 'oauth_state_invalid');
  });

  it('counts an invitation', async () => {
    const inviter = await site.aUser();
    const row = await site.ctx.db('users').where({ id: inviter.id }).first();
    const browser = site.browser();
    await browser.call('state', { aff: row.aff_code });
    await browser.call('wechat', { code: codeOf('f') });
    expect(await rowOf('f')).toMatchObject({ inviter_id: inviter.id });
  });

  it('is refused while it is disabled', async () => {
    await site.option('WeChatAuthEnabled', false);
    const call = site.browser().call('postWechat', { code: codeOf('g') });
    await expectRefusal(call, 'oauth_off');
    await site.option('WeChatAuthEnabled', true);
  });
});

it('a WeChat companion server in a private network is refused unless allowed', async () => {
  const site = await createSignInSite('sqlite', { allowPrivateIdentityHosts: false });
  const code = site.fake.grant({ user: { id: 'x' } });
  await expect(site.browser().call('postWechat', { code })).rejects.toMatchObject({
    code: 'oauth_failed',
    // The host may be private.
    params: expect.not.objectContaining({ host: expect.anything() }),
  });
  expect(site.fake.requests).toEqual([]);
  await site.close();
});
