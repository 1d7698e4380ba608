/** Session cookies: their attributes, session fixation and the end of a session. */
import { request as send } from 'undici';
import { describe, expect, it } from 'vitest';
import { hashPassword } from '../../../src/services/credentials/passwords.ts';
import { type ApiClient, apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR, type SiteUser } from '../../support/site.ts';

const PASSWORD = 'a long password';
const SESSION = 'gateway_session';

const site = await sharedSite({
  config: { apiRateLimitEnabled: false, criticalRateLimitEnabled: false },
});
const hash = await hashPassword(PASSWORD);

const aPerson = () => site.addUser({ password: hash });

/** Signs in like a browser and returns the cookie as it was set. */
async function login(
  browser: ApiClient,
  { username }: SiteUser,
  headers: Record<string, string> = {},
): Promise<string> {
  const reply = await browser.send('POST', '/api/user/login', {
    body: { username, password: PASSWORD },
    headers,
  });
  expect(reply.body).toMatchObject({ success: true });
  return [reply.headers['set-cookie'] ?? []].flat().join('\n');
}

async function isIn(browser: ApiClient): Promise<boolean> {
  return (await browser.send('GET', '/api/user/self')).status === 200;
}

describe('session cookie', () => {
  it('is not accessible to scripts and other sites and applies to every path of this host only', async () => {
    const line = await login(apiClient(site), await aPerson());
    expect(line).toMatch(/^gateway_session=[\w-]{43};/);
    expect(line).toMatch(/; Path=\//);
    expect(line).toMatch(/; HttpOnly/);
    expect(line).toMatch(/; SameSite=Strict/);
    expect(line).not.toMatch(/Domain=/);
    expect(line).not.toMatch(/Secure/);
  });

  it.each<Record<string, string>>([
    { origin: 'https://gateway.example', host: 'gateway.example' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-proto': 'https, http' },
  ])('is Secure if the browser connected through HTTPS: %o', async (headers) => {
    await site.option('ServerAddress', 'https://gateway.example');
    expect(await login(apiClient(site), await aPerson(), headers)).toMatch(/; Secure/);
  });

  it('is cleared with the attributes it was set with, so that browsers delete it', async () => {
    const browser = apiClient(site);
    await login(browser, await aPerson());
    const reply = await browser.send('POST', '/api/user/logout');
    const line = String(reply.headers['set-cookie']);
    expect(line).toMatch(/^gateway_session=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/);
    expect(line).toMatch(/Path=\/;.*HttpOnly;.*SameSite=Strict/);
  });

  it('is unpredictable and changes at every sign-in', async () => {
    const person = await aPerson();
    const seen = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      const browser = apiClient(site);
      await login(browser, person);
      seen.add(browser.cookies.get(SESSION) ?? '');
    }
    expect(seen.size).toBe(5);
  });
});

describe('session fixation', () => {
  it('does not hijack the session of a user who signs in with a planted cookie', async () => {
    const mallory = apiClient(site);
    await login(mallory, await aPerson());
    const planted = mallory.cookies.get(SESSION) ?? '';
    const victim = apiClient(site);
    victim.cookies.set(SESSION, planted);
    await login(victim, await aPerson());
    expect(victim.cookies.get(SESSION)).not.toBe(planted);
    expect(await isIn(mallory)).toBe(false);
    expect(await isIn(victim)).toBe(true);
  });

  it('with a made-up cookie gives no access, and the cookie is not adopted', async () => {
    const victim = apiClient(site);
    const made = 'A'.repeat(43);
    victim.cookies.set(SESSION, made);
    await login(victim, await aPerson());
    expect(victim.cookies.get(SESSION)).not.toBe(made);
    const mallory = apiClient(site);
    mallory.cookies.set(SESSION, made);
    expect(await isIn(mallory)).toBe(false);
  });

  it('with a second cookie beside the valid one is refused', async () => {
    const browser = apiClient(site);
    await login(browser, await aPerson());
    const real = browser.cookies.get(SESSION);
    const answers = await Promise.all(
      [`${SESSION}=x; ${SESSION}=${real}`, `${SESSION}=x`, `${SESSION}=%00`, `${SESSION}`].map(
        async (cookie) => {
          const reply = await send(`${site.url}/api/user/self`, { headers: { cookie } });
          await reply.body.dump();
          return reply.statusCode;
        },
      ),
    );
    expect(answers).toEqual([401, 401, 401, 401]);
  });
});

describe('sign-out', () => {
  it('ends the session on the server, so that a copied cookie is worthless', async () => {
    for (const method of ['GET', 'POST']) {
      const browser = apiClient(site);
      await login(browser, await aPerson());
      const copy = apiClient(site);
      copy.cookies.set(SESSION, browser.cookies.get(SESSION) ?? '');
      expect(await isIn(copy)).toBe(true);
      await browser.send(method, '/api/user/logout');
      expect(browser.cookies.has(SESSION)).toBe(false);
      expect(await isIn(copy)).toBe(false);
    }
  });

  it('everywhere ends all sessions of the user and no others', async () => {
    const person = await aPerson();
    const stranger = await signedIn(site, await aPerson());
    const browsers = [apiClient(site), apiClient(site), apiClient(site)];
    for (const browser of browsers) await login(browser, person);
    await browsers[0]?.send('POST', '/api/user/sessions/end');
    for (const browser of browsers) expect(await isIn(browser)).toBe(false);
    expect(await isIn(stranger)).toBe(true);
  });

  it('follows a new password, a ban and a demotion, in the playground too', async () => {
    const { user } = site.as(OPERATOR);
    const chat = { body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] } };
    const ends: ((id: number) => Promise<unknown>)[] = [
      (id) => user.setPassword({ id, password: 'a longer password' }),
      (id) => user.manage({ id, action: 'disable' }),
      (id) => user.manage({ id, action: 'demote' }),
      (id) => user.remove({ id }),
    ];
    for (const end of ends) {
      const admin = await site.addUser({ role: 10 });
      const browser = await signedIn(site, admin);
      expect((await browser.send('POST', '/pg/chat/completions', chat)).status).toBe(200);
      await end(admin.id);
      expect(await isIn(browser)).toBe(false);
      expect((await browser.send('POST', '/pg/chat/completions', chat)).status).toBeGreaterThan(
        400,
      );
    }
  });

  it('cannot be triggered from another site', async () => {
    const browser = apiClient(site);
    await login(browser, await aPerson());
    await browser.send('GET', '/api/user/logout', { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(await isIn(browser)).toBe(true);
  });
});

describe('session list', () => {
  it('does not contain the values that open a session', async () => {
    const browser = apiClient(site);
    await login(browser, await aPerson());
    const cookie = browser.cookies.get(SESSION) ?? 'none';
    const reply = await browser.send('GET', '/api/user/sessions');
    expect(reply.text).not.toContain(cookie);
    const copy = apiClient(site);
    copy.cookies.set(SESSION, reply.body.data.items[0].id);
    expect(await isIn(copy)).toBe(false);
  });
});

describe('a stolen access token', () => {
  it('cannot change the password, email, linked identities or access token', async () => {
    const victim = await site.addUser();
    const stolen = await site.as(OPERATOR).user.newAccessToken({ id: victim.id });
    const thief = apiClient(site, stolen);
    const password = 'mine from now';
    const tries = [
      await thief.send('PUT', '/api/user/self', { body: { password } }),
      await thief.send('POST', '/api/user/password', { body: { id: victim.id, password } }),
      await thief.send('POST', '/api/user/token'),
      await thief.send('POST', '/api/oauth/email/bind', {
        body: { email: 'a@b.example', code: '1' },
      }),
      await thief.send('POST', '/api/oauth/wechat/bind', { body: { code: '1' } }),
      await thief.send('POST', '/api/oauth/unbind', { body: { provider: 'github' } }),
    ];
    for (const reply of tries)
      expect(reply.body).toMatchObject({ success: false, code: 'session_only' });
    const owner = await signedIn(site, victim);
    expect((await owner.send('PUT', '/api/user/self', { body: { password } })).body.success).toBe(
      true,
    );
  });
});
