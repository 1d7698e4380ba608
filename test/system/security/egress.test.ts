/**
 * Server-side request forgery: every way to make the gateway request a given address, and what it
 * refuses.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite, sharedWebhookReceiver } from '../../support/shared-site.ts';
import { CA_FILE } from '../../support/tls.ts';
import { INSIDE, NO_WEB, ODD, withWebhook } from './inside.ts';

const everyUrl = (port: number) => [
  ...[...INSIDE, ...ODD].map((host) => `https://${host}:${port}/hook`),
  ...NO_WEB,
];

/** Counts connections: a refused address must not be contacted at all. */
let connections = 0;
const inner = createServer((_request, response) => response.end('{"success":true,"data":"me"}'));
inner.on('connection', () => {
  connections += 1;
});
// Listens on IPv4 and IPv6, so that no address fails only because nothing listens there.
await new Promise<void>((resolve) => inner.listen(0, '::', resolve));
const port = (inner.address() as AddressInfo).port; // a TCP server
const limits = { apiRateLimitEnabled: false, criticalRateLimitEnabled: false };
const site = await sharedSite({ config: limits });
const root = await signedIn(site, await site.addUser({ role: 100 }));
beforeEach(() => {
  connections = 0;
});
afterEach(() => expect(connections).toBe(0));
afterAll(async () => {
  inner.closeAllConnections();
  await new Promise((resolve) => inner.close(resolve));
});

describe('webhook settings', () => {
  it('refuse a webhook URL to an internal address', async () => {
    const user = await signedIn(site, await site.addUser());
    for (const url of [...everyUrl(port), `http://example.com:${port}/`]) {
      const body = { notify_type: 'webhook', webhook_url: url };
      const reply = await user.send('PUT', '/api/user/setting', { body });
      expect([url, reply.body.success, reply.body.param]).toEqual([url, false, 'webhook_url']);
    }
    expect((await user.send('GET', '/api/user/self')).body.data.setting).toBe('{}');
  });

  it('do not call a stored webhook URL to an internal address', async () => {
    const owner = await site.addUser();
    for (const url of everyUrl(port)) {
      if (url === '') continue;
      const user = await withWebhook(site, owner, url);
      const reply = await user.send('POST', '/api/user/setting/test');
      expect([url, reply.body.code]).toEqual([url, 'fetch_refused']);
    }
  });

  it('report only that the URL was refused', async () => {
    const owner = await site.addUser();
    const user = await withWebhook(site, owner, `https://127.0.0.1:${port}/secret-path?token=1`);
    const reply = await user.send('POST', '/api/user/setting/test');
    expect(reply.text).not.toMatch(/secret-path|token=1|ECONN/);
  });
});

describe('an identity provider', () => {
  const begin = () => apiClient(site).send('GET', '/api/oauth/oidc/start');
  const option = (key: string, value: string) => site.option(key, value);

  const SCHEMES = ['http', 'https'];

  it.each(SCHEMES)(
    'is not contacted if its discovery document is on an internal address (%s)',
    async (scheme) => {
      await option('oidc.client_id', 'gateway');
      await option('oidc.enabled', 'true');
      for (const host of INSIDE) {
        const url = `${scheme}://${host}:${port}/.well-known/openid-configuration`;
        await option('oidc.well_known', url);
        const reply = await begin();
        expect([url, reply.body.code]).toEqual([url, 'oauth_failed']);
      }
      await option('oidc.well_known', '');
    },
  );

  it.each(SCHEMES)(
    'is not contacted if one of its endpoints is on an internal address (%s)',
    async (scheme) => {
      for (const host of INSIDE) {
        await option('oidc.token_endpoint', `${scheme}://${host}:${port}/token`);
        await option('oidc.user_info_endpoint', `${scheme}://${host}:${port}/me`);
        await option('oidc.authorization_endpoint', 'https://login.example/authorize');
        const browser = apiClient(site);
        const { state } = (await browser.send('GET', '/api/oauth/oidc/start')).body.data;
        const reply = await browser.send('GET', '/api/oauth/oidc', { query: { code: 'x', state } });
        expect([host, reply.body.code]).toEqual([host, 'oauth_failed']);
      }
    },
  );

  it('for WeChat is not contacted on an internal address', async () => {
    for (const host of INSIDE) {
      await option('WeChatServerAddress', `http://${host}:${port}`);
      await option('WeChatAuthEnabled', 'true');
      const reply = await apiClient(site).send('POST', '/api/oauth/wechat', {
        body: { code: 'x' },
      });
      expect([host, reply.body.code]).toEqual([host, 'oauth_failed']);
    }
  });
});

describe('the fetch proxy', () => {
  it('is not used if it is on an internal address itself', async () => {
    const owner = await site.addUser();
    const user = await withWebhook(site, owner, 'https://hooks.example/');
    for (const host of INSIDE) {
      await site.option('WorkerUrl', `http://${host}:${port}`);
      const reply = await user.send('POST', '/api/user/setting/test');
      expect([host, reply.body.code]).toEqual([host, 'fetch_refused']);
    }
    await site.option('WorkerUrl', '');
  });
});

describe('fetching a model list by URL', () => {
  it('refuses internal addresses to an admin', async () => {
    const admin = await signedIn(site, await site.addUser({ role: 10 }));
    for (const host of [...INSIDE, '0x7f.1', 'user@127.0.0.1', '127.1']) {
      const body = { base_url: `http://${host}:${port}`, key: 'sk-x' };
      const reply = await admin.send('POST', '/api/channel/fetch_models', { body });
      expect([host, reply.body.success]).toEqual([host, false]);
      expect(['fetch_refused', 'input_invalid', 'rate_limited']).toContain(reply.body.code);
    }
  });

  it('refuses files and other protocols, even to a super admin', async () => {
    for (const base_url of NO_WEB) {
      const body = { base_url, key: 'sk-x' };
      const reply = await root.send('POST', '/api/channel/fetch_models', { body });
      expect([base_url, reply.body.success]).toEqual([base_url, false]);
    }
  });
});

describe('channel', () => {
  it.each(NO_WEB)('refuses the base URL %s', async (base_url) => {
    const body = { name: 'elsewhere', key: 'sk-x', models: 'm', base_url };
    const reply = await root.send('POST', '/api/channel/', { body });
    expect(reply.body).toMatchObject({ success: false, param: 'base_url' });
  });

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1', 'not a url'])(
    'refuses the proxy %s',
    async (proxy) => {
      const body = { name: 'proxied', key: 'sk-x', models: 'm', setting: { proxy } };
      const reply = await root.send('POST', '/api/channel/', { body });
      expect(reply.body).toMatchObject({ success: false, param: 'setting' });
    },
  );

  it('ignores headers and fields of a client that name an upstream address', async () => {
    const hidden = `http://127.0.0.1:${port}`;
    const fields = {
      base_url: hidden,
      api_base: hidden,
      proxy: hidden,
      channel: { base_url: hidden },
    };
    const reply = await site.call({
      body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'x' }], ...fields },
      headers: { 'x-forwarded-host': `127.0.0.1:${port}`, 'x-base-url': hidden },
    });
    expect(reply.status).toBe(200);
  });

  it('does not follow redirects of the upstream', async () => {
    const redirecting = createServer((_request, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${port}/v1/chat/completions` }).end(),
    );
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    const at = (redirecting.address() as AddressInfo).port; // a TCP server
    await site.addChannel({ base_url: `http://127.0.0.1:${at}`, models: 'gpt-4.1-nano' });
    const body = { model: 'gpt-4.1-nano', messages: [{ role: 'user', content: 'x' }] };
    const reply = await site.call({ body });
    expect(JSON.parse(reply.text)).toMatchObject({ error: { type: 'upstream_error' } });
    expect(reply.headers.location).toBeUndefined();
    redirecting.closeAllConnections();
    await new Promise((resolve) => redirecting.close(resolve));
  });
});

describe('webhook delivery', async () => {
  const receiver = await sharedWebhookReceiver();
  // Allows only its own internal address.
  const egress = { egressAllow: '127.0.0.1/32', caFile: CA_FILE };
  const open = await sharedSite({ config: { ...egress, ...limits } });
  const url = receiver.url.replace('localhost', '127.0.0.1');
  const user = await withWebhook(open, await open.addUser(), url);

  const test = () => user.send('POST', '/api/user/setting/test');

  it.each([
    'https://127.0.0.2:PORT/',
    'https://[::1]:PORT/',
    'http://127.0.0.1:PORT/',
    'https://169.254.169.254/latest/meta-data/',
    'https://2130706434:PORT/',
    'https://user@127.0.0.1:PORT/',
    'file:///etc/passwd',
  ])('does not follow a redirect to %s', async (pattern) => {
    receiver.answers.push({ status: 307, location: pattern.replace('PORT', String(port)) });
    const reply = await test();
    expect(reply.body).toMatchObject({ success: false, code: 'fetch_refused' });
    expect(reply.text).not.toMatch(/meta-data|passwd/);
  });

  it('through a fetch proxy refuses internal addresses', async () => {
    const orders: string[] = [];
    const proxy = createServer((request, response) => {
      orders.push(request.url ?? '');
      response.end('done');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const at = (proxy.address() as AddressInfo).port; // a TCP server
    await open.option('WorkerUrl', `http://127.0.0.1:${at}`);
    const owner = await open.addUser();
    // The proxy resolves host names itself.
    for (const host of INSIDE.filter((host) => !/localhost/i.test(host))) {
      const inside = await withWebhook(open, owner, `https://${host}:${port}/`);
      expect((await inside.send('POST', '/api/user/setting/test')).body.code).toBe('fetch_refused');
    }
    expect(orders).toEqual([]);
    const outside = await withWebhook(open, owner, 'https://hooks.example/');
    expect((await outside.send('POST', '/api/user/setting/test')).body.success).toBe(true);
    expect(orders).toHaveLength(1);
    await open.option('WorkerUrl', '');
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });
});
