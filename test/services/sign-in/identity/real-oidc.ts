/**
 * A real OpenID Connect provider. `next` sets the user who signs in next; `walk` follows its pages
 * until they redirect the browser back to the gateway.
 */
import { generateKeyPairSync } from 'node:crypto';
import { Provider } from 'oidc-provider';
import { request } from 'undici';
import { type HttpServer, httpServer } from './http-server.ts';

export interface OidcUser {
  readonly sub: string;
  readonly name?: string;
  readonly preferred_username?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
}

export interface RealOidc extends HttpServer {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly wellKnown: string;
  /** Sets the user who signs in at the provider from now on. */
  next(user: OidcUser): void;
  /** Opens the authorization page in a new browser and returns the query of the redirect back. */
  walk(authorizationUrl: string): Promise<URLSearchParams>;
}

const CLIENT = { clientId: 'gateway', clientSecret: 'a-client-secret-of-some-length' } as const;

const signingKey = {
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  kid: 'signing',
  use: 'sig',
};

/** `redirectUri` is the redirect URI of the registered client. */
export async function startRealOidc(redirectUri: string): Promise<RealOidc> {
  const users = new Map<string, OidcUser>();
  let current = '';
  const server = await httpServer((url) => {
    const provider = providerAt(url, redirectUri, users);
    const callback = provider.callback();
    return (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return callback(request, response);
      const result = { login: { accountId: current } };
      return void provider.interactionFinished(request, response, result);
    };
  });
  return {
    ...server,
    ...CLIENT,
    wellKnown: `${server.url}/.well-known/openid-configuration`,
    next(user) {
      users.set(user.sub, user);
      current = user.sub;
    },
    walk: (authorizationUrl) => walk(authorizationUrl, redirectUri),
  };
}

function providerAt(
  url: string,
  redirectUri: string,
  users: ReadonlyMap<string, OidcUser>,
): Provider {
  const provider: Provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
    },
    cookies: { keys: ['a cookie key'] },
    jwks: { keys: [signingKey] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_ctx: unknown, id: string) => ({
      accountId: id,
      claims: () => users.get(id) ?? { sub: id },
    }),
    async loadExistingGrant(ctx: {
      oidc: { client: { clientId: string }; session: { accountId: string } };
    }) {
      const { client, session } = ctx.oidc;
      const grant = new provider.Grant({
        clientId: client.clientId,
        accountId: session.accountId,
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  return provider;
}

async function walk(from: string, redirectUri: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let at = from;
  for (let steps = 0; steps < 10; steps += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await request(at, { headers: cookie === '' ? {} : { cookie } });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    const body = await answer.body.text();
    const { location } = answer.headers;
    if (typeof location !== 'string')
      throw new Error(`the provider answered ${answer.statusCode}: ${body.slice(0, 300)}`);
    const next = new URL(location, at);
    if (next.href.startsWith(redirectUri)) return next.searchParams;
    at = next.href;
  }
  throw new Error('the provider redirects without end');
}
