import { describe, expect, it } from 'vitest';
import { nowSec } from '../../../../src/context.ts';
import type { AppError } from '../../../../src/domain/errors/errors.ts';
import { errorText } from '../../../../src/locales/text.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import type { Granted } from './fake-providers.ts';
import { createSignInSite, sharedSignInSite } from './sign-in-site.ts';

const user = { sub: 'victim', preferred_username: 'victim' };
const past = 1_700_000_000;

/** ID tokens of a dishonest or impersonated provider, which must be refused. */
const LIES: readonly (readonly [string, Partial<Granted>])[] = [
  ['is of another issuer', { claims: { iss: 'https://evil.example' } }],
  ['is for another client', { claims: { aud: 'another' } }],
  ['has expired', { claims: { exp: past } }],
  ['carries the nonce of another sign-in', { claims: { nonce: 'of-another' } }],
  ['carries no nonce', { claims: { nonce: undefined } }],
  ['is not signed', { signature: 'none' }],
  ['is signed with a key that was not published', { signature: 'other' }],
  ['names a key that is not there', { header: { kid: 'missing' } }],
  ['says it is of another kind', { header: { alg: 'HS256' } }],
  [
    'names a user other than the userinfo',
    { user: { ...user, sub: 'someone' }, claims: { sub: 'victim' } },
  ],
];

describe('an OpenID Connect provider with invalid responses', async () => {
  const site = await sharedSignInSite();
  await site.option('oidc.well_known', `${site.fake.url}/.well-known/openid-configuration`);

  const signIn = (granted: Partial<Granted>) =>
    site.signIn({ user, ...granted }, { provider: 'oidc' });

  it('signs in with a valid ID token', async () => {
    expect(await signIn({})).toMatchObject({ data: { username: 'victim' } });
  });

  it.each(LIES)('is refused when its ID token %s', async (_, lie) => {
    await expectRefusal(signIn(lie), 'oauth_failed');
  });
});

describe('an OpenID Connect provider without discovery', async () => {
  const site = await sharedSignInSite();
  const { url } = site.fake;
  site.fake.nowSec = nowSec(site.ctx);
  await site.option('oidc.authorization_endpoint', `${url}/authorize?tenant=1`);
  await site.option('oidc.token_endpoint', `${url}/token`);
  await site.option('oidc.user_info_endpoint', `${url}/me`);

  const signIn = (granted: Partial<Granted>) =>
    site.signIn({ user, ...granted }, { provider: 'oidc' });

  it("keeps the query of its authorization address and adds the gateway's parameters", async () => {
    const { url, state } = await site.browser().call('start', { provider: 'oidc' });
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      tenant: '1',
      response_type: 'code',
      client_id: 'gateway',
      redirect_uri: 'https://gateway.example/oauth/oidc',
      scope: 'openid profile email',
      state,
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('signs in the user of the userinfo response', async () => {
    expect(await signIn({})).toMatchObject({ data: { username: 'victim' } });
    const exchange = site.fake.requests.findLast(({ path }) => path === '/token');
    expect(Object.fromEntries(new URLSearchParams(exchange?.body))).toMatchObject({
      grant_type: 'authorization_code',
      client_id: 'gateway',
      client_secret: 'oidc-secret',
      code_verifier: expect.any(String),
    });
  });

  it.each([
    ['is for another client', { claims: { aud: ['another'] } }],
    ['has expired', { claims: { exp: 1_700_000_000 } }],
    ['carries the nonce of another sign-in', { claims: { nonce: 'of-another' } }],
    ['names another user', { claims: { sub: 'someone' } }],
  ] satisfies [string, Partial<Granted>][])('is refused when the ID token %s', async (_, lie) => {
    await expectRefusal(signIn(lie), 'oauth_failed');
  });

  it('a code that was got for another challenge opens nothing', async () => {
    await expectRefusal(signIn({ challenge: 'c'.repeat(43) }), 'oauth_failed');
  });
});

it('an OpenID Connect provider in a private network is refused unless allowed', async () => {
  const site = await createSignInSite('sqlite', { allowPrivateIdentityHosts: false });
  const discover = (url: string) => site.browser().call('discover', { url });
  for (const origin of [site.fake.url, 'https://127.0.0.1:1']) {
    const url = `${origin}/.well-known/openid-configuration`;
    await site.option('oidc.well_known', url);
    await expectRefusal(site.browser().call('start', { provider: 'oidc' }), 'oauth_failed', {
      params: { problem: 'it leads to a private network' },
    });
    await expectRefusal(discover(url), 'discovery_failed', { param: 'url' });
  }
  const refused = await discover('https://127.0.0.1:1/').catch((error: unknown) => error);
  expect(errorText(refused as AppError, 'zh')).toBe(
    // a rejection of the previous call
    '无法读取 OpenID Connect 配置：该地址指向内部网络',
  );
  expect(site.fake.requests).toEqual([]);
  await site.close();
});

it('OpenID Connect discovery without a document is refused', async () => {
  const site = await createSignInSite();
  const discover = site.browser().call('discover', { url: `${site.fake.url}/nothing-here` });
  await expectRefusal(discover, 'discovery_failed');
  await site.close();
});
