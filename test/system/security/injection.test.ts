/** Injection of text into headers, log lines, mails and spreadsheets. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { apiClient, signedIn } from '../../support/api-client.ts';
import { aMailServer, MAIL_ACCOUNT, mailOptions } from '../../support/mail-server.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite, eventually } from '../../support/site.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { CA_FILE } from '../../support/tls.ts';

const BREAK = '\r\nX-Injected: yes\r\n\r\n<script>';
const chat = (model: string) => ({ model, messages: [{ role: 'user', content: 'hi' }] });

const folder = tempFolder();
const mail = await aMailServer();
afterAll(() => mail.close());
const limits = { apiRateLimitEnabled: false, criticalRateLimitEnabled: false };
const site = await sharedSite({
  config: { ...limits, logDir: folder, logLevel: 'trace', caFile: CA_FILE },
  options: mailOptions(mail),
});
const root = await signedIn(site, await site.addUser({ role: 100 }));

describe('line breaks', () => {
  it.each([
    '/api/log/%0d%0aX-Injected:%20yes',
    '/api/option/%0d%0aX-Injected:%20yes',
    '/no/such/%0d%0aX-Injected:%20yes',
    '/v1/models/%0d%0aX-Injected:%20yes',
    '/api/oauth/github?error=%0d%0aX-Injected:%20yes',
    '/api/oauth/github/start?return_to=/%0d%0aX-Injected:%20yes',
  ])('cannot inject a header through the address %s', async (address) => {
    const reply = await root.send('GET', address);
    expect(reply.headers['x-injected']).toBeUndefined();
    expect(Object.values(reply.headers).flat().join('')).not.toContain('Injected');
  });

  it('in the name of a custom channel header never reach the upstream', async () => {
    const reply = await root.send('POST', '/api/channel/', {
      body: {
        name: 'breaks out',
        key: 'sk-one',
        models: 'broken-out',
        base_url: site.upstream.url,
        openai_organization: `org${BREAK}`,
      },
    });
    expect(reply.body).toMatchObject({ success: false, param: 'openai_organization' });
  });

  it.each([
    ['openai_organization', 'org 组'],
    ['key', 'sk-\u0001'],
    ['key', 'sk-日本'],
  ])('and other characters invalid in headers are refused in %s', async (field, value) => {
    const body = { name: 'odd', key: 'sk-one', models: 'odd', [field]: value };
    const reply = await root.send('POST', '/api/channel/', { body });
    expect(reply.body).toMatchObject({ success: false, code: 'input_invalid', param: field });
  });

  it('are refused in a redirect target', async () => {
    const body = { provider: 'github', return_to: `/x${BREAK}` };
    const reply = await root.send('GET', '/api/oauth/github/start', { query: body });
    expect(reply.body).toMatchObject({ success: false, param: 'return_to' });
  });
});

describe('forged client address', () => {
  const forged = (n: number) => ({
    'x-forwarded-for': `203.0.113.${n}`,
    'x-real-ip': `203.0.113.${n}`,
    'cf-connecting-ip': `203.0.113.${n}`,
    forwarded: `for=203.0.113.${n}`,
    'true-client-ip': `203.0.113.${n}`,
  });

  it('does not raise the rate limit if no proxy is configured', async () => {
    const small = await aSite({ config: { criticalRateLimit: 3, apiRateLimitEnabled: false } });
    const statuses: number[] = [];
    for (let n = 1; n <= 6; n += 1) {
      const body = { username: 'nobody', password: 'wrong' };
      const asked = { body, headers: forged(n) };
      statuses.push((await apiClient(small).send('POST', '/api/user/login', asked)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
    await small.close();
  });

  it('does not open a token bound to an address and is not logged', async () => {
    const owner = await site.addUser();
    await site.as(owner.actor).account.changeSetting({ show_ip_in_logs: true });
    const { key } = await site.addToken({ owner, allow_ips: '203.0.113.1' });
    const refused = await site.call({ key, body: chat('gpt-4o'), headers: forged(1) });
    expect(refused.status).toBe(403);
    const open = await site.addToken({ owner });
    const answered = await site.call({ key: open.key, body: chat('gpt-4o'), headers: forged(1) });
    await site.settled();
    expect((await site.logOf(answered.requestId))?.client_ip).toBe('127.0.0.1');
  });

  it('in the header of another proxy than the configured one is ignored', async () => {
    await site.option('ReverseProxyEnabled', true);
    await site.option('ReverseProxyProvider', 'cloudflare');
    const owner = await site.addUser();
    const { key } = await site.addToken({ owner, allow_ips: '203.0.113.1' });
    const { 'cf-connecting-ip': real, ...others } = forged(1);
    const call = (headers: Record<string, string>) =>
      site.call({ key, body: chat('gpt-4o'), headers });
    expect((await call(others)).status).toBe(403);
    expect((await call({ 'cf-connecting-ip': real })).status).toBe(200);
    await site.option('ReverseProxyEnabled', false);
  });
});

describe('log file format', () => {
  it('is one JSON object per line for any client input', async () => {
    const hostile = `a\n{"level":60,"msg":"forged"}\r\u2028\u0007`;
    const guest = apiClient(site);
    await guest.send('POST', '/api/user/login', { body: { username: hostile, password: 'x' } });
    await guest.send('GET', '/api/status', { headers: { 'user-agent': '{"level":60}' } });
    await site.call({ body: chat(hostile) });
    await root.send('GET', `/api/log/${encodeURIComponent(hostile)}`);
    // Causes a log entry that includes its subject.
    await site.option('SMTPServer', 'nowhere.invalid');
    await root.send('POST', '/api/option/test_mail', { body: { email: 'a@b.example' } });
    await site.option('SMTPServer', 'localhost');
    const lines = (await readFile(path.join(folder, 'gateway.log'), 'utf8')).trim().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      const { level, msg } = JSON.parse(line) as { level: number; msg: string }; // pino's format
      expect([level, msg]).not.toEqual([60, 'forged']);
    }
  });
});

describe('mail headers', () => {
  it('contain one recipient and the expected fields for any site name', async () => {
    await site.option('SystemName', 'Evil" <boss@evil.example>, "\u2028Bcc: all@evil.example');
    const account = await site.addUser({ email: 'reader@site.example' });
    await site.option('ServerAddress', 'https://gateway.example');
    const asked = { query: { email: 'reader@site.example' } };
    expect((await apiClient(site).send('GET', '/api/reset_password', asked)).body.success).toBe(
      true,
    );
    const letter = await eventually('the letter is there', () => mail.letters.at(-1));
    expect([account.id > 0, letter.to, letter.from]).toEqual([
      true,
      ['reader@site.example'],
      MAIL_ACCOUNT.user,
    ]);
    const names = letter.headers.map((line) => line.split(':')[0]?.toLowerCase());
    expect(names).not.toContain('bcc');
    expect(names.filter((name) => name === 'from' || name === 'to')).toHaveLength(2);
    expect(letter.text).toContain('https://gateway.example/user/reset?');
  });

  it('cannot be extended through an address with two recipients or a header', async () => {
    const browser = await signedIn(site, await site.addUser());
    for (const address of [`a@b.example${BREAK}`, 'a@b.example,c@d.example', '"a b"@c.example'])
      for (const [method, where, field] of [
        ['GET', '/api/verification', 'email'],
        ['GET', '/api/reset_password', 'email'],
        ['PUT', '/api/user/setting', 'notification_email'],
      ] as const) {
        const isQuery = method === 'GET';
        const sent = { [field]: address };
        const reply = await browser.send(method, where, isQuery ? { query: sent } : { body: sent });
        expect(reply.body).toMatchObject({ success: false, param: field });
      }
  });
});
