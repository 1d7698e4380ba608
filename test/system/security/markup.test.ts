/**
 * Checks that stored markup is returned as data and that only a super admin's markup is part of the
 * page.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR } from '../../support/site.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { requestTo, ways } from './ways.ts';

const NAME = '<svg/onload>';
const PAYLOAD = `</script><script>alert(1)</script><img src=x onerror="alert(1)">`;
const PAGE = `<!doctype html><html><head><script src="/a.js"></script></head><body><script type="module" src="/b.js"></script></body></html>`;

const folder = tempFolder();
await writeFile(path.join(folder, 'index.html'), PAGE);
const limits = {
  apiRateLimitEnabled: false,
  criticalRateLimitEnabled: false,
  webRateLimitEnabled: false,
};
const site = await sharedSite({ config: { ...limits, web: true, webRoot: folder } });
const root = await signedIn(site, await site.addUser({ role: 100, username: NAME }));
const admin = await signedIn(
  site,
  await site.addUser({ role: 10, display_name: PAYLOAD.slice(0, 20) }),
);
beforeAll(storeEverywhere);

const TEXTS = ['Notice', 'About', 'HomePageContent', 'Footer', 'SystemName'];

async function storeEverywhere(): Promise<void> {
  const operator = site.as(OPERATOR);
  const owner = await site.addUser();
  const { key } = await site.addToken({ owner, name: PAYLOAD.slice(0, 30) });
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: PAYLOAD }] };
  await site.option('LogChatContentEnabled', true);
  await site.call({ key, body });
  await site.call({ key, body: { ...body, model: PAYLOAD } });
  await site.addChannel({ name: PAYLOAD, models: 'm1', tag: NAME, system_prompt: PAYLOAD });
  await operator.redemption.create({ name: PAYLOAD.slice(0, 20), quota: 1 });
  await operator.message.create({ title: PAYLOAD, content: PAYLOAD, format: 'html', to_all: true });
  await operator.group.set({ name: NAME, ratio: 1, selectable: true, label: PAYLOAD });
  for (const option of TEXTS) await site.option(option, PAYLOAD);
  await site.settled();
}

describe('response', () => {
  it.each(ways.filter(({ changes }) => !changes))(
    'of $title cannot be executed by a browser',
    async (way) => {
      const { path, options: sent } = requestTo(way, {});
      const reply = await root.send(way.method, path, sent);
      const type = String(reply.headers['content-type']);
      expect(type).toMatch(/^(application\/(json|x-ndjson)|text\/(csv|plain|event-stream))/);
      expect(type).not.toMatch(/html|xml|javascript/);
      expect(reply.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
      });
    },
  );

  it.each(ways)('with an error of $title is JSON data as well', async (way) => {
    for (const name of [NAME, encodeURIComponent(NAME)]) {
      const reply = await root.send(way.method, way.path.replaceAll(/:\w+/g, name), {
        ...(way.method === 'GET' ? { query: { keyword: PAYLOAD, id: PAYLOAD } } : {}),
        headers: { 'sec-fetch-site': 'cross-site', 'new-api-user': '0' },
      });
      expect(String(reply.headers['content-type'])).toMatch(/^(application\/json|text\/plain)/);
      expect(reply.headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('contains stored markup unchanged', async () => {
    const dataOf = async (address: string) => (await root.send('GET', address)).body.data;
    expect(await dataOf('/api/notice')).toBe(PAYLOAD);
    expect(await dataOf('/api/about')).toBe(PAYLOAD);
    expect(await dataOf('/api/home_page_content')).toBe(PAYLOAD);
    expect((await dataOf('/api/status')).system_name).toBe(PAYLOAD);
    const [message] = (await dataOf('/api/user/messages')).items;
    expect(message).toMatchObject({ title: PAYLOAD, content: PAYLOAD, format: 'html' });
    const names = (await dataOf('/api/user/?page_size=100')).items;
    expect(names.map((one: { username: string }) => one.username)).toContain(NAME);
  });

  it('of the model API to a model name with markup is JSON data as well', async () => {
    for (const address of [
      `/v1/models/${encodeURIComponent(PAYLOAD)}`,
      `/v1/${NAME}`,
      `/api/${NAME}`,
    ]) {
      const reply = await site.call({ path: address });
      expect(reply.headers['content-type']).toMatch(/^application\/json/);
      expect(reply.headers['x-content-type-options']).toBe('nosniff');
    }
  });
});

describe('link or image address', () => {
  it.each([
    ['general_setting.docs_link', 'javascript:alert(1)'],
    ['Logo', 'javascript:alert(1)'],
    ['Logo', 'data:text/html,<script>alert(1)</script>'],
    ['WeChatAccountQRCodeImageURL', ' javascript:alert(1)'],
    ['TopUpLink', 'javascript:alert(1)'],
    ['ServerAddress', 'javascript:alert(1)'],
    ['Chats', '[{"a":"javascript:alert(1)"}]'],
    ['Chats', '[{"a":"JaVaScRiPt:alert(1)"}]'],
    ['Chats', '[{"a":"data:text/html,x"}]'],
    ['Chats', '[{"a":" javascript:alert(1)"}]'],
  ])('is refused in %s if it could run a script: %s', async (key, value) => {
    const reply = await root.send('PUT', '/api/option/', { body: { key, value } });
    expect(reply.body).toMatchObject({ success: false, code: 'option_invalid' });
  });
});

/** The page as a browser receives it, with the nonce of its content security policy. */
async function page(address = '/') {
  const answer = await request(site.url + address);
  const policy = String(answer.headers['content-security-policy']);
  const nonce = /script-src 'nonce-([A-Za-z0-9+/=]+)'/.exec(policy)?.[1] ?? 'none';
  return { html: await answer.body.text(), headers: answer.headers, policy, nonce };
}

describe('console page', () => {
  it('contains no content written by anyone below super admin', async () => {
    for (const address of ['/', '/login', `/user/${encodeURIComponent(PAYLOAD)}?q=${PAYLOAD}`]) {
      const { html } = await page(address);
      expect(html).not.toMatch(/alert|onerror|onload/);
      expect(html.replaceAll(/ nonce="[^"]*"/g, '')).toBe(PAGE);
    }
  });

  it('restricts scripts by a nonce that is unique per response', async () => {
    const copies = await Promise.all([page(), page('/login'), page('/app/tokens')]);
    expect(new Set(copies.map(({ nonce }) => nonce)).size).toBe(3);
    for (const { html, nonce, policy, headers } of copies) {
      expect(html.match(/<script/g)).toHaveLength(2);
      expect(
        html.match(new RegExp(`<script nonce="${nonce.replaceAll('+', '\\+')}"`, 'g')),
      ).toHaveLength(2);
      const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? '';
      expect(scripts).not.toMatch(/unsafe-inline|unsafe-eval/);
      expect(policy).toMatch(/object-src 'none'/);
      expect(policy).toMatch(/base-uri 'self'/);
      expect(policy).toMatch(/frame-ancestors 'self'/);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin-allow-popups',
        'cache-control': 'no-cache',
      });
    }
  });

  it('includes the head, style and script of a super admin under its nonce', async () => {
    const own = { custom_head_html: '<script>window.own=1</script><meta name="own">' };
    for (const [key, value] of Object.entries({ ...own, global_css: 'a{}', global_js: 'own()' }))
      expect((await root.send('PUT', '/api/option/', { body: { key, value } })).body.success).toBe(
        true,
      );
    const { html, nonce } = await page();
    expect(html).toContain(`<script nonce="${nonce}">window.own=1</script><meta name="own">`);
    expect(html).toContain(`<script nonce="${nonce}" src="/custom/global.js" defer>`);
    const files = [
      await request(`${site.url}/custom/global.js`),
      await request(`${site.url}/custom/global.css`),
    ];
    const types = files.map(({ headers }) => [
      headers['content-type'],
      headers['x-content-type-options'],
    ]);
    expect(types).toEqual([
      ['text/javascript; charset=utf-8', 'nosniff'],
      ['text/css; charset=utf-8', 'nosniff'],
    ]);
    for (const { body } of files) await body.dump();
  });

  it('loads images only from this site and from configured origins', async () => {
    const sources = async () => {
      const policy = String((await page()).headers['content-security-policy']);
      return /img-src ([^;]*)/.exec(policy)?.[1]?.split(' ') ?? [];
    };
    const before = await sources();
    expect(before.slice(0, 3)).toEqual(["'self'", 'data:', 'blob:']);
    expect(before).not.toContain('https:');
    expect(before).toContain('https://*.suno.ai');
    await site.option('Logo', 'https://logo.example:8443/mark.png');
    await site.option(
      'Notice',
      '![a](http://notice.example/a.png) and https://odd.example;sandbox',
    );
    await site.option('ImageOrigins', 'https://images.example');
    const now = await sources();
    expect(now).toEqual(
      expect.arrayContaining([
        'https://logo.example:8443',
        'http://notice.example',
        'https://odd.example',
        'https://images.example',
      ]),
    );
    expect(now).not.toContain('https://*.suno.ai');
    expect((await page()).headers['content-security-policy']).not.toContain('sandbox');
    for (const value of ['https://a.example; sandbox', 'images.example', "'unsafe-inline'"])
      await expect(site.option('ImageOrigins', value)).rejects.toMatchObject({
        code: 'option_invalid',
      });
    await site.option('ImageOrigins', '*');
    expect(await sources()).toEqual([...before.slice(0, 3), 'https:', 'http:']);
    for (const key of ['Logo', 'ImageOrigins']) await site.as(OPERATOR).option.unset({ key });
    await site.option('Notice', PAYLOAD);
  });

  it('leaves out what a super admin added when it is asked for as safe', async () => {
    const sources = async (address: string) => {
      const { body } = await request(`${site.url}${address}`);
      const html = await body.text();
      return ['window.own=1', '/custom/global.js', '/custom/global.css'].filter((text) =>
        html.includes(text),
      );
    };
    expect(await sources('/admin/settings')).toHaveLength(3);
    expect(await sources('/admin/settings?tab=other&safe=1')).toEqual([]);
    expect(await sources('/?safe=1')).toEqual([]);
    expect(await sources('/?safe=0')).toHaveLength(3);
  });

  it('lets a framed chat program ask for camera and microphone, and no answer of the API', async () => {
    const policies = ['/chat/0', '/api/status'].map(async (address) => {
      const { headers, body } = await request(`${site.url}${address}`);
      await body.dump();
      return headers['permissions-policy'];
    });
    const [page, api] = await Promise.all(policies);
    expect(page).toBe('geolocation=(), payment=()');
    expect(api).toContain('camera=()');
    expect(api).toContain('microphone=()');
  });

  it.each(['custom_head_html', 'global_css', 'global_js'])(
    'refuses %s from an admin and hides it as well',
    async (key) => {
      const value = '<script>window.stolen=1</script>';
      const tries = [
        await admin.send('PUT', '/api/option/', { body: { key, value } }),
        await admin.send('PUT', '/api/option/batch', { body: { options: [{ key, value }] } }),
        await admin.send('DELETE', `/api/option/${key}`),
        await admin.send('GET', `/api/option/${key}`),
      ];
      for (const reply of tries) expect(reply.body.code).toBe('permission_denied');
      expect((await admin.send('GET', '/api/option/')).text).not.toContain(key);
      expect((await page()).html).not.toContain('stolen');
    },
  );

  it('sends HSTS if the operator configures HTTPS', async () => {
    expect((await page()).headers['strict-transport-security']).toBeUndefined();
    await site.option('ServerAddress', 'https://gateway.example');
    const headers = { host: 'gateway.example' };
    for (const address of ['/', '/api/status']) {
      const reply = await root.send('GET', address, { headers });
      expect(reply.headers['strict-transport-security']).toBe('max-age=31536000');
      const elsewhere = await root.send('GET', address);
      expect(elsewhere.headers['strict-transport-security']).toBeUndefined();
    }
  });
});
