/** Service account tokens: cached, renewed in time, fetched once, refused without a leak. */
import { beforeEach, expect, test } from 'vitest';
import {
  readServiceAccount,
  type ServiceAccount,
} from '../../../src/domain/channels/cloud-keys.ts';
import {
  type TokenRequest,
  TokenRequestFailed,
} from '../../../src/relay/http/access-token-cache.ts';
import { dropGoogleToken, googleToken } from '../../../src/relay/http/google-access-token.ts';
import { serviceAccount } from '../../support/cloud-credentials.ts';

const KEY = serviceAccount('project-2');
const TOKEN_URL = 'https://tokens.example/token';
const START_MS = Date.UTC(2026, 10, 21);

let requests: TokenRequest[] = [];
beforeEach(() => {
  requests = [];
  dropGoogleToken(account(), TOKEN_URL);
});

function account(): ServiceAccount {
  const read = readServiceAccount(KEY);
  if (read === undefined) throw new Error('the key is none');
  return read;
}

function source(nowMs: number, reply: { status: number; text: string } | Error = token(requests)) {
  return {
    nowMs,
    tokenUrl: TOKEN_URL,
    async send(question: TokenRequest) {
      requests.push(question);
      if (reply instanceof Error) throw reply;
      return reply;
    },
  };
}

function token(before: readonly unknown[], fields: object = {}) {
  const json = { access_token: `t${before.length + 1}`, expires_in: 3599, ...fields };
  return { status: 200, text: JSON.stringify(json) };
}

const tokenAt = (nowMs: number) => googleToken(account(), source(nowMs));

test('a token is used until five minutes before it expires', async () => {
  const endsMs = START_MS + 3_599_000;
  expect(await tokenAt(START_MS)).toBe('t1');
  expect(await tokenAt(endsMs - 300_001)).toBe('t1');
  expect(await tokenAt(endsMs - 300_000)).toBe('t2');
  expect(requests).toHaveLength(2);
});

test('concurrent calls without a token fetch only one', async () => {
  const calls = Array.from({ length: 20 }, () => tokenAt(START_MS));
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['t1']));
  expect(requests).toHaveLength(1);
});

test('a token that is refused early is fetched again', async () => {
  await tokenAt(START_MS);
  dropGoogleToken(account(), TOKEN_URL);
  expect(await tokenAt(START_MS)).toBe('t2');
});

test("the assertion's audience is always Google, whatever the key contains", async () => {
  await tokenAt(START_MS);
  const form = new URLSearchParams(requests[0]?.body);
  const [header, claims] = (form.get('assertion') ?? '').split('.');
  const read = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect(read(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' });
  expect(read(claims)).toEqual({
    iss: 'gateway@project-2.iam.gserviceaccount.com',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    aud: 'https://oauth2.googleapis.com/token',
    iat: START_MS / 1000,
    exp: START_MS / 1000 + 3600,
  });
});

test('a refusal is attributed to the key, with Google’s message and without the key', async () => {
  const text = '{"error":"invalid_grant","error_description":"Invalid JWT Signature."}';
  const refused = googleToken(account(), source(START_MS, { status: 400, text }));
  const error = await refused.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TokenRequestFailed);
  if (!(error instanceof TokenRequestFailed)) return;
  expect(error.upstream).toMatchObject({
    status: 401,
    message: 'Google refused the service account: invalid_grant: Invalid JWT Signature.',
    disablesKey: true,
  });
  expect(JSON.stringify(error.upstream)).not.toContain('PRIVATE KEY');
  expect(await tokenAt(START_MS)).toBe('t2');
});

test.each([
  ['Google fails', { status: 503, text: 'busy' }, 'upstream_failed'],
  ['the rate limit is reached', { status: 429, text: '{}' }, 'upstream_failed'],
  ['no token is in the answer', { status: 200, text: '{}' }, 'upstream_garbled'],
  [
    'the clocks differ',
    {
      status: 400,
      text: '{"error":"invalid_grant","error_description":"Invalid JWT: Token must be in a reasonable timeframe. Check your iat and exp values"}',
    },
    'upstream_failed',
  ],
])('the key is not blamed when %s', async (_what, reply, code) => {
  await expect(googleToken(account(), source(START_MS, reply))).rejects.toMatchObject({ code });
});

test('a failed fetch is not cached: the next call fetches again', async () => {
  const broken = googleToken(account(), source(START_MS, new Error('ECONNRESET')));
  await expect(broken).rejects.toThrow('ECONNRESET');
  expect(await tokenAt(START_MS)).toBe('t2');
});

test('a private key that cannot be read is reported', async () => {
  const unreadable = { ...account(), privateKey: 'abc' };
  await expect(googleToken(unreadable, source(START_MS))).rejects.toMatchObject({
    code: 'channel_unusable',
  });
  expect(requests).toEqual([]);
});
