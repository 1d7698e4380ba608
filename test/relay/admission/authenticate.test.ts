import { beforeAll, describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import type { SiteCall, SiteToken, SiteUser } from '../../support/site.ts';
import { CHAT } from '../../upstream/wire.ts';
import { refusalIn, withoutCost } from '../refusal.ts';

const site = await sharedSite();
const key = site.token.key;
const bareKey = key.replace(/^sk-/, '');

function withHeaders(headers: Readonly<Record<string, string>>): SiteCall {
  return { key: '', body: CHAT, headers };
}

describe('an API key is accepted', () => {
  test.each([
    ['Authorization: Bearer', () => withHeaders({ authorization: `Bearer ${key}` })],
    [
      'Authorization: Bearer without sk-',
      () => withHeaders({ authorization: `Bearer ${bareKey}` }),
    ],
    [
      'Authorization: Bearer with sk- twice',
      () => withHeaders({ authorization: `Bearer sk-${key}` }),
    ],
    ['Authorization in any case', () => withHeaders({ authorization: `bEARER   ${key}  ` })],
    ['Authorization without Bearer', () => withHeaders({ authorization: key })],
    ['x-api-key', () => withHeaders({ 'x-api-key': key })],
    ['x-goog-api-key', () => withHeaders({ 'x-goog-api-key': key })],
    ['api-key', () => withHeaders({ 'api-key': bareKey })],
    ['mj-api-secret', () => withHeaders({ 'mj-api-secret': key })],
    [
      'mj-api-secret, behind the placeholder of its proxies',
      () => withHeaders({ authorization: 'Bearer midjourney-proxy', 'mj-api-secret': key }),
    ],
    [
      'x-api-key, behind an empty Bearer',
      () => withHeaders({ authorization: 'Bearer ', 'x-api-key': key }),
    ],
    ['the query', () => ({ key: '', body: CHAT, path: `/v1/chat/completions?key=${key}` })],
    [
      'the query that names it twice',
      () => ({ key: '', body: CHAT, path: `/v1/chat/completions?key=${key}&key=other` }),
    ],
  ] satisfies [string, () => SiteCall][])('in %s', async (_place, callWith) => {
    expect((await site.call(callWith())).status).toBe(200);
  });

  test('in the Authorization header, which takes precedence over every other place', async () => {
    const others = { 'x-api-key': key, 'api-key': key, 'mj-api-secret': key };
    const refused = await site.call(withHeaders({ authorization: 'Bearer sk-other', ...others }));
    expect(refusalIn(refused)).toMatchObject({
      status: 401,
      message: 'This API token is not valid.',
    });
  });

  test('under /hf as well', async () => {
    expect((await site.call({ body: CHAT, path: '/hf/v1/chat/completions' })).status).toBe(200);
    expect((await site.call({ path: '/hf/v1/models' })).status).toBe(200);
  });
});

describe('an API key is refused', () => {
  test.each([
    ['no key', {}],
    ['an empty Bearer', { authorization: 'Bearer' }],
    ['nothing but the prefix', { authorization: 'Bearer sk-' }],
    ['the placeholder of drawing proxies alone', { authorization: 'Bearer midjourney-proxy' }],
  ])('when there is %s', async (_case, headers) => {
    const refused = await withoutCost(site, () => site.call(withHeaders({ ...headers })));
    expect(refusalIn(refused)).toEqual({
      status: 401,
      message: 'No API token was sent.',
      type: 'gateway_error',
      param: null,
      code: 'invalid_api_key',
    });
  });

  test.each([
    ['unknown', () => `sk-${'a'.repeat(48)}`],
    ['cut short', () => key.slice(0, -1)],
    ['longer', () => `${key}x`],
    ['in another case', () => swapCase(key)],
    ['somebody trying SQL', () => "' or 1=1 --"],
    ['a megabyte long', () => 'x'.repeat(12_000)],
  ])('when the key is %s', async (_case, wrong) => {
    const refused = await withoutCost(site, () => site.call({ body: CHAT, key: wrong() }));
    expect(refusalIn(refused)).toMatchObject({
      status: 401,
      message: 'This API token is not valid.',
      code: 'invalid_api_key',
    });
  });

  test('before the body is read', async () => {
    const refused = await site.call({ key: 'sk-unknown', rawBody: '{"model":' });
    expect(refusalIn(refused).status).toBe(401);
  });
});

function swapCase(text: string): string {
  return text
    .split('')
    .map((sign) => (sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase()))
    .join('');
}

describe('a channel named after the key', () => {
  let admin: SiteUser;
  let adminToken: SiteToken;
  let otherId: number;
  beforeAll(async () => {
    admin = await site.addUser({ role: 10 });
    adminToken = await site.addToken({
      owner: admin,
      model_limits_enabled: true,
      model_limits: 'gpt-4o',
    });
    otherId = (await site.addChannel({ name: 'picked', priority: -5, models: 'gpt-4o-mini' })).id;
  });

  const callWith = (suffix: string) =>
    site.call({ body: CHAT, key: `${adminToken.key}-${suffix}` });

  test('is used for an admin, regardless of priorities and token limits', async () => {
    const answer = await callWith(String(otherId));
    expect(answer.status).toBe(200);
    expect((await site.logOf(answer.requestId))?.channel_id).toBe(otherId);
  });

  test('is neither retried nor replaced when it fails', async () => {
    await site.option('RetryTimes', 3);
    site.upstream.reset();
    site.upstream.script('status:500');
    expect(refusalIn(await callWith(String(otherId))).status).toBe(500);
    expect(site.upstream.stats).toMatchObject({ calls: 1, refused: 1 });
    await site.option('RetryTimes', 0);
  });

  test.each(['999999', 'abc', '-5', '0x1', '1e0', '1.0', ' 1', '٣'])(
    'is refused as %j',
    async (suffix) => {
      const path = `/v1/chat/completions?key=${adminToken.key}-${encodeURIComponent(suffix)}`;
      const refused = await withoutCost(site, () => site.call({ body: CHAT, key: '', path }));
      expect(refusalIn(refused)).toMatchObject({
        status: 400,
        message: 'The channel id is not valid.',
      });
    },
  );

  test('is refused when it is disabled', async () => {
    const off = await site.addChannel({ status: 2 });
    const refused = await withoutCost(site, () => callWith(String(off.id)));
    expect(refusalIn(refused)).toMatchObject({ status: 403, message: 'This channel is disabled.' });
  });

  test('is refused to all other users', async () => {
    const refused = await withoutCost(site, () =>
      site.call({ body: CHAT, key: `${key}-${site.channel.id}` }),
    );
    expect(refusalIn(refused)).toEqual({
      status: 403,
      message: 'Only administrators may choose the channel of a call.',
      type: 'gateway_error',
      param: null,
      code: 'channel_pick_denied',
    });
  });
});
