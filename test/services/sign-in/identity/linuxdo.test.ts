import { describe, expect, it } from 'vitest';
import { sharedSignInSite } from './sign-in-site.ts';

describe('sign-in with LINUX DO', async () => {
  const site = await sharedSignInSite();
  await site.option('LinuxDOMinimumTrustLevel', 2);

  const signIn = (user: Record<string, unknown>) => site.signIn({ user }, { provider: 'linuxdo' });
  const member = (id: number) => ({
    id,
    username: 'member',
    name: 'A member of the forum',
    active: true,
    silenced: false,
    trust_level: 2,
  });

  it('registers users with enough trust, by their forum account number', async () => {
    const { data } = await signIn(member(41));
    expect(data).toMatchObject({
      username: expect.stringMatching(/^linuxdo_\d+$/),
      display_name: 'A member of the foru',
    });
    expect(await site.ctx.db('users').where({ linux_do_id: '41' }).first()).toMatchObject({
      id: data?.id,
      email: '',
    });
  });

  it('authenticates with HTTP Basic and sends its callback', async () => {
    await signIn(member(42));
    const exchange = site.fake.requests.findLast(({ path }) => path === '/oauth2/token');
    const basic = Buffer.from('gateway:linuxdo-secret').toString('base64');
    expect(exchange?.headers.authorization).toBe(`Basic ${basic}`);
    expect(Object.fromEntries(new URLSearchParams(exchange?.body))).toEqual({
      grant_type: 'authorization_code',
      code: expect.any(String),
      redirect_uri: 'https://gateway.example/oauth/linuxdo',
      code_verifier: expect.any(String),
    });
  });

  it.each([
    ['trust level below the lowest', { trust_level: 1 }, 'oauth_trust_low'],
    ['no trust level', { trust_level: undefined }, 'oauth_trust_low'],
    ['a silenced account', { silenced: true }, 'oauth_account_inactive'],
    ['an inactive account', { active: false }, 'oauth_account_inactive'],
  ])('does not register a user with %s', async (_, change, code) => {
    await expect(signIn({ ...member(43), ...change })).rejects.toMatchObject({ code });
    expect(await site.ctx.db('users').where({ linux_do_id: '43' })).toEqual([]);
  });

  it('signs in an existing account whatever its trust level', async () => {
    const { data } = await signIn(member(44));
    const again = await signIn({ ...member(44), trust_level: 0, silenced: true });
    expect(again.data?.id).toBe(data?.id);
  });

  it('binds without a trust check', async () => {
    const browser = site.browser();
    const user = await site.aUser();
    await browser.signInAs(user.id);
    const given = { provider: 'linuxdo', browser } as const;
    const outcome = await site.signIn({ user: { ...member(45), trust_level: 0 } }, given);
    expect(outcome).toEqual({ message: 'bind' });
    expect(await site.ctx.db('users').where({ linux_do_id: '45' }).first()).toMatchObject({
      id: user.id,
    });
  });

  it('reports that the forum denied access, without repeating its message', async () => {
    const browser = site.browser();
    const { state } = await browser.call('start', { provider: 'linuxdo' });
    const answer = { error: 'access_denied', error_description: '<b>evil</b>', state };
    const refused = await browser.call('linuxdo', answer).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'oauth_denied', params: { provider: 'linuxdo' } });
    expect(JSON.stringify(refused)).not.toContain('evil');
  });
});
