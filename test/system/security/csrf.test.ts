/** Cross-site requests from a visitor's browser must have no effect. */
import { describe, expect, it } from 'vitest';
import { type ApiRequest, apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { changeCheck } from './tables.ts';
import { requestTo, ways } from './ways.ts';

const CROSS_SITE = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
/** Older browsers that do not send Sec-Fetch-Site. */
const OLD_BROWSER = { origin: 'https://evil.example' };

const site = await sharedSite({
  config: { apiRateLimitEnabled: false, criticalRateLimitEnabled: false },
});
const root = await signedIn(site, await site.addUser({ role: 100 }));
const expectUnchanged = changeCheck(site);

const writes = ways.filter(({ changes, call }) => changes && !call.isCrossSite);

describe('requests from another site', () => {
  it.each(writes)('$title is refused to a signed-in browser', async (way) => {
    const { path, options: sent } = requestTo(way, {});
    for (const headers of [CROSS_SITE, OLD_BROWSER, { 'sec-fetch-site': 'same-site' }]) {
      const reply = await root.send(way.method, path, { ...sent, headers });
      expect(reply).toMatchObject({ status: 403, body: { code: 'origin_denied' } });
      expect(reply.headers['set-cookie']).toBeUndefined();
    }
  });

  it('do not change any data', async () => {
    await expectUnchanged(async () => {
      for (const way of writes) {
        const { path, options: sent } = requestTo(way, {});
        await root.send(way.method, path, { ...sent, headers: CROSS_SITE });
      }
    });
  });

  it('are refused even with credentials that the browser sends automatically', async () => {
    for (const authorization of ['Basic cm9vdDpyb290', 'Negotiate abc', 'Digest username="root"']) {
      const reply = await root.send('POST', '/api/token/', {
        body: { name: 'planted' },
        headers: { ...CROSS_SITE, authorization },
      });
      expect(reply).toMatchObject({ status: 403, body: { code: 'origin_denied' } });
    }
  });

  it('cannot sign a visitor in to another account', async () => {
    const victim = apiClient(site);
    const body = { username: 'mallory', password: 'long enough' };
    await apiClient(site).send('POST', '/api/user/register', { body });
    const reply = await victim.send('POST', '/api/user/login', { body, headers: CROSS_SITE });
    expect(reply.status).toBe(403);
    expect(victim.cookies.size).toBe(0);
    expect((await victim.send('POST', '/api/user/login', { body })).body.success).toBe(true);
  });

  it('cannot use the playground', async () => {
    const sent = { body: { model: 'gpt-4o', messages: [] }, headers: CROSS_SITE };
    expect((await root.send('POST', '/pg/chat/completions', sent)).status).toBe(403);
  });

  it('cannot read responses that require the session cookie', async () => {
    for (const way of ways.filter(({ call }) => call.role > 0)) {
      const { path } = requestTo(way, {});
      const reply = await root.send('OPTIONS', path, {
        headers: { ...CROSS_SITE, 'access-control-request-method': way.method },
      });
      const allowed = reply.headers['access-control-allow-origin'];
      // Scripts may read the response with a token of their own; the cookie is not accepted
      // instead.
      expect([way.title, allowed]).toEqual([way.title, way.call.cors ? '*' : undefined]);
      expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });
});

describe('body types that an HTML form can send', () => {
  const json = JSON.stringify({ name: 'from a form' });
  const forms: ApiRequest[] = [
    { rawBody: 'name=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    { rawBody: json, headers: { 'content-type': 'text/plain' } },
    { rawBody: json, headers: {} },
    {
      rawBody: '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\na\r\n--x--\r\n',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    },
  ];
  const takers = ways.filter(
    ({ method, call }) => (method === 'POST' || method === 'PUT') && !call.form,
  );

  it.each(takers)('are refused by $title', async (way) => {
    const { path } = requestTo(way, {});
    for (const form of forms) {
      const reply = await root.send(way.method, path, form);
      expect(reply).toMatchObject({ status: 415, body: { code: 'body_type_unknown' } });
    }
  });
});

describe('GET and HEAD requests', () => {
  // The log records who read the keys of a channel.
  const reads = ways.filter(({ changes, id }) => !changes && id !== 'channel.get');

  it.each(reads)('$title does not change any data', async (way) => {
    const { path, options: sent } = requestTo(way, {});
    await expectUnchanged(async () => {
      await root.send('GET', path, sent);
    });
  });

  it.each(ways.filter(({ changes, method }) => changes && method === 'GET'))(
    'a HEAD request does not run the writing GET $title',
    async (way) => {
      const { path, options: sent } = requestTo(way, {});
      await expectUnchanged(async () => {
        const reply = await root.send('HEAD', path, sent);
        expect(reply.headers['set-cookie']).toBeUndefined();
      });
    },
  );
});
