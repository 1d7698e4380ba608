import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, it } from 'vitest';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { CA_FILE, SERVER_TLS } from '../../../support/tls.ts';
import { sharedSignInSite } from './sign-in-site.ts';

const user = { sub: 'ann-1', preferred_username: 'ann' };

/** The provider's address counts as public here, without an exception for private ones. */
const network = { egressAllow: '127.0.0.1', caFile: CA_FILE };
const site = await sharedSignInSite('sqlite', { allowPrivateIdentityHosts: false, ...network });
beforeEach(async () => {
  await site.option('oidc.well_known', '');
});

it('an OpenID Connect provider can be discovered over http when allowed', async () => {
  const url = `${site.fake.url}/.well-known/openid-configuration`;
  expect(await site.browser().call('discover', { url })).toEqual({
    authorization_endpoint: `${site.fake.url}/authorize`,
    token_endpoint: `${site.fake.url}/token`,
    userinfo_endpoint: `${site.fake.url}/me`,
  });
  await site.option('oidc.well_known', url);
  expect(await site.signIn({ user }, { provider: 'oidc' })).toMatchObject({
    data: { username: 'ann' },
  });
  await expectRefusal(
    site.signIn({ user, signature: 'other' }, { provider: 'oidc' }),
    'oauth_failed',
  );
});

it('OpenID Connect endpoints without discovery may use http', async () => {
  await site.option('oidc.authorization_endpoint', `${site.fake.url}/authorize`);
  await site.option('oidc.token_endpoint', `${site.fake.url}/token`);
  await site.option('oidc.user_info_endpoint', `${site.fake.url}/me`);
  site.fake.nowSec = Math.floor(site.ctx.now() / 1000);
  expect(await site.signIn({ user }, { provider: 'oidc' })).toMatchObject({
    data: { username: 'ann' },
  });
});

it('an OpenID Connect document read over https cannot send the code to an http endpoint', async () => {
  const issuer = createServer(SERVER_TLS, (_request, response) =>
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        issuer: `https://127.0.0.1:${port}`,
        authorization_endpoint: `https://127.0.0.1:${port}/authorize`,
        token_endpoint: `${site.fake.url}/token`,
      }),
    ),
  );
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  const { port } = issuer.address() as AddressInfo; // it listens on TCP
  await site.option('oidc.well_known', `https://127.0.0.1:${port}/`);
  const requestCount = site.fake.requests.length;
  await expectRefusal(site.signIn({ user }, { provider: 'oidc' }), 'oauth_failed', {
    params: { reason: 'server_not_https' },
  });
  expect(site.fake.requests).toHaveLength(requestCount);
  issuer.closeAllConnections();
  await new Promise((resolve) => issuer.close(resolve));
});
