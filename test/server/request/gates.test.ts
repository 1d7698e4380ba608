/** Checks before every management call: origin, rate limits, body rules, headers, demo mode. */
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite } from '../../support/site.ts';

const site = await sharedSite({
  config: { apiRateLimitEnabled: false, criticalRateLimitEnabled: false },
});
const browser = await signedIn(site, await site.addUser({ role: 100 }));

const TOKEN = { name: 'a token' };
const write = (headers: Record<string, string>) =>
  browser.send('POST', '/api/token/', { body: TOKEN, headers });

describe('the origin check of a write', () => {
  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])('refuses %o', async (headers) => {
    const reply = await write(headers);
    expect(reply).toMatchObject({ status: 403, body: { code: 'origin_denied' } });
  });

  it('names both addresses and what a proxy must pass on', async () => {
    const reply = await write({ origin: 'https://ai.example' });
    for (const part of ['https://ai.example', new URL(site.url).host, 'proxy_set_header Host'])
      expect(reply.body.message).toContain(part);
  });

  it('accepts what the browser calls same-origin, whatever Host a proxy sends', async () => {
    const headers = { origin: 'https://ai.example', 'sec-fetch-site': 'same-origin' };
    expect((await write(headers)).body.success).toBe(true);
  });

  it('accepts this site, the configured origin, or a program', async () => {
    await site.option('ServerAddress', 'https://gateway.example');
    const own = new URL(site.url).host;
    const fine: Record<string, string>[] = [
      { origin: `http://${own}`, 'sec-fetch-site': 'same-origin' },
      { origin: 'https://gateway.example' },
      {},
    ];
    for (const headers of fine) expect((await write(headers)).body.success).toBe(true);
  });

  it('does not apply to reads', async () => {
    const reply = await browser.send('GET', '/api/token/', {
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect(reply.body.success).toBe(true);
  });

  it('does not apply to an access token, which another site cannot make a browser send', async () => {
    const token = await site.as({ kind: 'operator' }).user.newAccessToken({ id: site.user.id });
    const reply = await apiClient(site, token).send('POST', '/api/token/', {
      body: TOKEN,
      headers: { origin: 'https://elsewhere.example' },
    });
    expect(reply.body.success).toBe(true);
  });
});

describe('a request body', () => {
  const raw = (rawBody: string | Buffer, headers: Record<string, string>) =>
    browser.send('POST', '/api/token/', { rawBody, headers });
  const json = { 'content-type': 'application/json' };

  it('with a prototype key is refused', async () => {
    for (const body of [
      '{"name":"a","__proto__":{"role":100}}',
      '{"name":"a","constructor":{"prototype":{"role":100}}}',
    ])
      expect((await raw(body, json)).body).toMatchObject({ success: false, code: 'body_not_json' });
    expect(({} as { role?: number }).role).toBeUndefined();
  });

  it('that is truncated, a list or not JSON is refused', async () => {
    for (const body of ['{"name":', '[1]', '"text"', 'name=a'])
      expect((await raw(body, json)).body.success).toBe(false);
  });

  it('that is compressed is refused unread, even if it is small', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 32));
    const reply = await raw(bomb, { ...json, 'content-encoding': 'gzip' });
    expect(reply).toMatchObject({ status: 415, body: { code: 'body_encoding_unknown' } });
  });

  it('that is too long is refused', async () => {
    const reply = await raw(JSON.stringify({ name: 'x'.repeat(5_000_000) }), json);
    expect(reply).toMatchObject({ status: 413, body: { code: 'input_too_large' } });
  });

  it('of another type, such as a form, is refused', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      expect((await raw('name=a', { 'content-type': type })).body.success).toBe(false);
  });

  it('with a character that databases cannot store is refused by the name of its field', async () => {
    const reply = await browser.send('POST', '/api/token/', { body: { name: 'a\u0000b' } });
    expect(reply.body).toMatchObject({ code: 'input_invalid', param: 'name' });
  });
});

describe('responses', () => {
  it('cannot be executed, framed or cached', async () => {
    const { headers } = await browser.send('GET', '/api/token/');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['x-request-id']).toBeTypeOf('string');
  });

  it('are compressed on request when worthwhile', async () => {
    const { headers } = await browser.send('GET', '/api/option/', {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(headers['content-encoding']).toBe('gzip');
  });

  it('set cookies that scripts and other sites cannot use', async () => {
    const { headers } = await browser.send('GET', '/api/status');
    expect(headers['set-cookie']).toBeUndefined();
  });
});

describe('demo mode', () => {
  afterEach(() => site.option('DemoSiteEnabled', false));

  it('answers 405 to writes by an admin, and lets everyone read', async () => {
    await site.option('DemoSiteEnabled', true);
    const reply = await browser.send('PUT', '/api/option/', {
      body: { key: 'Notice', value: 'defaced' },
    });
    expect(reply).toMatchObject({ status: 405, body: { success: false, code: 'demo_mode' } });
    expect((await browser.send('GET', '/api/option/')).body.success).toBe(true);
    expect((await write({})).body.success).toBe(true);
  });

  it('can be turned off only by a super admin, with no other change', async () => {
    await site.option('DemoSiteEnabled', true);
    const root = browser;
    const admin = await signedIn(site, await site.addUser({ role: 10 }));
    const off = { key: 'DemoSiteEnabled', value: false };
    const batch = { options: [off, { key: 'Notice', value: 'defaced' }] };
    const isRefused = { status: 405, body: { code: 'demo_mode' } };
    expect(await root.send('PUT', '/api/option/batch', { body: batch })).toMatchObject(isRefused);
    expect(await root.send('DELETE', '/api/option/Notice')).toMatchObject(isRefused);
    expect((await admin.send('PUT', '/api/option/', { body: off })).body.success).toBe(false);
    expect((await root.send('PUT', '/api/option/', { body: off })).body.success).toBe(true);
    const body = { key: 'Notice', value: 'hello' };
    expect((await root.send('PUT', '/api/option/', { body })).body.success).toBe(true);
  });
});

describe('request rate limits', () => {
  it('count the requests of one address and return when to retry', async () => {
    const limited = await aSite({ config: { apiRateLimit: 3, apiRateWindowMs: 60 } });
    const guest = apiClient(limited);
    for (let n = 0; n < 3; n += 1)
      expect((await guest.send('GET', '/api/status')).status).toBe(200);
    const reply = await guest.send('GET', '/api/status');
    expect(reply).toMatchObject({ status: 429, body: { success: false, code: 'rate_limited' } });
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    await limited.close();
  });
});
