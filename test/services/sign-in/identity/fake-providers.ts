/**
 * Fake GitHub, LINUX DO, WeChat companion and OpenID Connect provider on one address, with the real
 * message formats and optional wrong answers. Codes are issued by `grant` and can be used once.
 */
import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpServer, httpServer } from './http-server.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Granted {
  /** The response of the provider's user endpoint. */
  readonly user: Json;
  /** GitHub's list of emails; absent if the app may not read it. */
  readonly emails?: readonly Json[];
  /** Sent with the authorization request (RFC 7636). */
  readonly challenge?: string;
  /** Changes to the ID token. */
  readonly claims?: Json;
  readonly header?: Json;
  /** `none` omits the signature, `other` signs with an unpublished key. */
  readonly signature?: 'right' | 'none' | 'other';
}

export interface FakeProviders extends HttpServer {
  grant(granted: Granted): string;
  /** Every request so far: method, path with query, headers, body. */
  readonly requests: {
    method: string;
    path: string;
    headers: IncomingMessage['headers'];
    body: string;
  }[];
  /** The time of issue of ID tokens, in epoch seconds. */
  nowSec: number;
}

const [rightKey, otherKey] = [newKey(), newKey()];

function newKey() {
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

export async function startFakeProviders(): Promise<FakeProviders> {
  const codes = new Map<string, Granted>();
  const tokens = new Map<string, Granted>();
  const requests: FakeProviders['requests'] = [];
  const state = { nowSec: Math.floor(Date.now() / 1000) };

  /** Returns the access token for a code, or an error code. */
  const redeem = (fields: URLSearchParams): { token: string; granted: Granted } | string => {
    const code = fields.get('code') ?? '';
    const granted = codes.get(code);
    codes.delete(code);
    if (granted === undefined) return 'bad_verification_code';
    const hash = createHash('sha256').update(fields.get('code_verifier') ?? '');
    if (granted.challenge !== undefined && granted.challenge !== hash.digest('base64url'))
      return 'invalid_grant';
    const token = randomUUID();
    tokens.set(token, granted);
    return { token, granted };
  };
  const whose = (request: IncomingMessage) =>
    tokens.get((request.headers.authorization ?? '').replace('Bearer ', ''));

  const server = await httpServer((url) => {
    const answers: Record<string, (fields: URLSearchParams, request: IncomingMessage) => Reply> = {
      'POST /login/oauth/access_token': (fields) => {
        const redeemed = redeem(fields);
        // GitHub refuses with status 200.
        if (typeof redeemed === 'string') return [200, { error: redeemed }];
        return [200, { access_token: redeemed.token, token_type: 'bearer', scope: 'read:user' }];
      },
      'GET /user': (_, request) => userOf(whose(request)),
      'GET /user/emails': (_, request) => {
        const emails = whose(request)?.emails;
        return emails === undefined ? [404, { message: 'Not Found' }] : [200, emails];
      },
      'POST /oauth2/token': (fields) => tokenReply(redeem(fields)),
      'GET /api/user': (_, request) => userOf(whose(request)),
      'GET /api/wechat/user': (fields) => {
        const granted = codes.get(fields.get('code') ?? '');
        codes.delete(fields.get('code') ?? '');
        return granted === undefined
          ? [200, { success: false, message: 'code expired', data: '' }]
          : [200, { success: true, message: '', data: granted.user.id }];
      },
      'GET /.well-known/openid-configuration': () => [200, discovery(url)],
      'GET /jwks': () => [200, { keys: [publicJwk()] }],
      'POST /token': (fields) => {
        const redeemed = redeem(fields);
        if (typeof redeemed === 'string') return [400, { error: 'invalid_grant' }];
        const id_token = idToken(url, redeemed.granted, state.nowSec);
        return [200, { access_token: redeemed.token, token_type: 'Bearer', id_token }];
      },
      'GET /me': (_, request) => userOf(whose(request)),
    };
    return (request, response) => void answer(request, response, { answers, requests, url });
  });
  return Object.assign(state, server, {
    requests,
    grant(granted: Granted) {
      const code = randomUUID();
      codes.set(code, granted);
      return code;
    },
  });
}

type Reply = readonly [status: number, body: unknown];

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  on: {
    readonly answers: Record<string, (fields: URLSearchParams, request: IncomingMessage) => Reply>;
    readonly requests: FakeProviders['requests'];
    readonly url: string;
  },
): Promise<void> {
  const { method = '', url: path = '', headers } = request;
  let body = '';
  for await (const chunk of request) body += chunk;
  on.requests.push({ method, path, headers, body });
  const { pathname, searchParams } = new URL(path, on.url);
  const fields = method === 'GET' ? searchParams : fieldsOf(body);
  const [status, json] = on.answers[`${method} ${pathname}`]?.(fields, request) ?? [404, {}];
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}

function fieldsOf(body: string): URLSearchParams {
  return body.startsWith('{') ? new URLSearchParams(JSON.parse(body)) : new URLSearchParams(body);
}

function userOf(granted: Granted | undefined): Reply {
  return granted === undefined ? [401, { message: 'Bad credentials' }] : [200, granted.user];
}

function tokenReply(redeemed: { token: string } | string): Reply {
  return typeof redeemed === 'string'
    ? [400, { error: redeemed }]
    : [200, { access_token: redeemed.token, token_type: 'bearer' }];
}

/** Announces the `none` algorithm, so that a client that accepts it is detected. */
function discovery(url: string): Json {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    userinfo_endpoint: `${url}/me`,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'none'],
  };
}

function publicJwk(): Json {
  return {
    ...rightKey.publicKey.export({ format: 'jwk' }),
    kid: 'right',
    use: 'sig',
    alg: 'RS256',
  };
}

function idToken(url: string, { user, claims, header, signature }: Granted, nowSec: number) {
  const unsigned = [
    { alg: signature === 'none' ? 'none' : 'RS256', kid: 'right', ...header },
    { iss: url, aud: 'gateway', sub: user.sub, iat: nowSec, exp: nowSec + 300, ...claims },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  if (signature === 'none') return `${unsigned}.`;
  const key = signature === 'other' ? otherKey : rightKey;
  const signed = createSign('RSA-SHA256').update(unsigned).sign(key.privateKey);
  return `${unsigned}.${signed.toString('base64url')}`;
}
