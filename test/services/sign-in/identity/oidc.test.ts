import { afterAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import type { Browser } from './browser.ts';
import { type OidcUser, startRealOidc } from './real-oidc.ts';
import { sharedSignInSite } from './sign-in-site.ts';

describe('sign-in with a real OpenID Connect provider', async () => {
  const provider = await startRealOidc('https://gateway.example/oauth/oidc');
  afterAll(() => provider.close());
  const site = await sharedSignInSite();
  await site.option('oidc.client_id', provider.clientId);
  await site.option('oidc.client_secret', provider.clientSecret);
  await site.option('oidc.well_known', provider.wellKnown);

  /** Uses the provider's own pages; returns the parameters of the browser's callback. */
  async function walked(user: OidcUser, browser: Browser, aff?: string) {
    provider.next(user);
    const { url } = await browser.call('start', { provider: 'oidc', aff });
    return Object.fromEntries(await provider.walk(url));
  }
  async function signIn(user: OidcUser, browser = site.browser(), aff?: string) {
    return browser.call('oidc', await walked(user, browser, aff));
  }
  const rowOf = (oidc_id: string) => site.ctx.db('users').where({ oidc_id }).first();

  it('registers under the preferred name, with the verified address', async () => {
    const browser = site.browser();
    const email = 'ada@example.com';
    const user = { sub: 'ada-1', name: 'Ada L.', preferred_username: 'ada', email };
    const { data } = await signIn({ ...user, email_verified: true }, browser);
    expect(data).toMatchObject({ username: 'ada', display_name: 'Ada L.', role: 1 });
    expect(await browser.userId()).toBe(data?.id);
    expect(await rowOf('ada-1')).toMatchObject({ id: data?.id, email, password: '' });
    expect((await signIn({ ...user, preferred_username: 'other' })).data?.id).toBe(data?.id);
  });

  it('does not store an unverified address, and does not need one', async () => {
    const email = 'bob@example.com';
    await signIn({ sub: 'bob-1', email, email_verified: false });
    await signIn({ sub: 'bob-2', email });
    await signIn({ sub: 'bob-3' });
    for (const sub of ['bob-1', 'bob-2', 'bob-3'])
      expect(await rowOf(sub)).toMatchObject({ email: '', display_name: 'OIDC User' });
  });

  it('counts an invitation', async () => {
    const inviter = await site.aUser();
    const { aff_code } = await site.ctx.db('users').where({ id: inviter.id }).first();
    await signIn({ sub: 'invited-1' }, site.browser(), aff_code);
    expect(await rowOf('invited-1')).toMatchObject({ inviter_id: inviter.id });
  });

  it('binds to the signed-in user', async () => {
    const browser = site.browser();
    const user = await site.aUser();
    await browser.signInAs(user.id);
    expect(await signIn({ sub: 'carol-1' }, browser)).toEqual({ message: 'bind' });
    expect(await rowOf('carol-1')).toMatchObject({ id: user.id });
  });

  it('a code of another sign-in fails for its challenge', async () => {
    const [thief, victim] = [site.browser(), site.browser()];
    const { code = '' } = await walked({ sub: 'dora-1' }, victim);
    const { state } = await thief.call('start', { provider: 'oidc' });
    await expectRefusal(thief.call('oidc', { code, state }), 'oauth_failed');
    expect(await thief.userId()).toBe(0);
    expect(await rowOf('dora-1')).toBeUndefined();
  });

  it('a wrong issuer in the callback is refused; a missing one is accepted', async () => {
    const browser = site.browser();
    const answer = await walked({ sub: 'eve-1' }, browser);
    expect(answer.iss).toBe(provider.url);
    await expectRefusal(
      browser.call('oidc', { ...answer, iss: 'https://evil.example' }),
      'oauth_failed',
    );
    const { iss: _, ...silent } = await walked({ sub: 'eve-2' }, browser);
    expect(await browser.call('oidc', silent)).toMatchObject({ message: '' });
  });

  it('a client that builds the address itself signs in without PKCE and nonce', async () => {
    const browser = site.browser();
    await site.option('oidc.client_secret', provider.clientSecret);
    const state = await browser.call('state', {});
    const query = new URLSearchParams({
      client_id: provider.clientId,
      redirect_uri: 'https://gateway.example/oauth/oidc',
      response_type: 'code',
      scope: 'openid profile email',
      state,
    });
    provider.next({ sub: 'fay-1' });
    const answer = await provider.walk(`${provider.url}/auth?${query}`);
    expect(await browser.call('oidc', Object.fromEntries(answer))).toMatchObject({ message: '' });
  });

  it('a wrong client secret is reported as a provider error, not a user error', async () => {
    const browser = site.browser();
    const answer = await walked({ sub: 'gus-1' }, browser);
    await site.option('oidc.client_secret', 'wrong');
    await expectRefusal(browser.call('oidc', answer), 'oauth_failed');
    await site.option('oidc.client_secret', provider.clientSecret);
  });
});
