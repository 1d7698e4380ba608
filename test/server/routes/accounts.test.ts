/** Accounts over HTTP, for browsers and programs. */
import bcrypt from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { hashPassword } from '../../../src/services/credentials/passwords.ts';
import { apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR } from '../../support/site.ts';

const PASSWORD = 'right password';

describe('accounts over HTTP', async () => {
  const config = { apiRateLimitEnabled: false, criticalRateLimitEnabled: false };
  const site = await sharedSite({ config });
  const password = await hashPassword(PASSWORD);

  async function login(username: string, given = PASSWORD) {
    const browser = apiClient(site);
    const reply = await browser.send('POST', '/api/user/login', {
      query: { turnstile: '' },
      body: { username, password: given },
    });
    return { browser, reply };
  }

  it('a user registers, signs in, reads their own account and signs out', async () => {
    const body = { username: 'walker', password: PASSWORD, password2: PASSWORD };
    const made = await apiClient(site).send('POST', '/api/user/register', { body });
    expect(made.body).toEqual({ success: true, message: '', data: null });
    const { browser, reply } = await login('walker');
    expect(reply.body.data).toEqual({
      id: expect.any(Number),
      username: 'walker',
      display_name: 'walker',
      role: 1,
      status: 1,
      group: 'default',
    });
    const self = await browser.send('GET', '/api/user/self');
    expect(self.body.data).toMatchObject({ username: 'walker', setting: '{}' });
    expect(self.text).not.toMatch(/scrypt|"password"|hash"/);
    await browser.send('GET', '/api/user/logout');
    expect((await browser.send('GET', '/api/user/self')).status).toBe(401);
  });

  it('a failed sign-in is a business error; too many return 429 with the time to wait', async () => {
    // Faster to verify than a current hash.
    await site.addUser({ username: 'door', password: await bcrypt.hash(PASSWORD, 4) });
    for (let wrong = 0; wrong < 10; wrong += 1) {
      const { reply } = await login('door', 'wrong');
      expect(reply).toMatchObject({ status: 200, body: { success: false, code: 'login_failed' } });
    }
    const { reply } = await login('door');
    expect(reply).toMatchObject({ status: 429, body: { success: false, code: 'login_limited' } });
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(800);
  });

  it('a password change keeps only the current browser signed in', async () => {
    await site.addUser({ username: 'careful', password });
    const [here, there] = [await login('careful'), await login('careful')];
    const { body } = await here.browser.send('PUT', '/api/user/self', {
      body: { password: 'another password', original_password: PASSWORD },
    });
    expect(body).toMatchObject({ success: true });
    expect((await here.browser.send('GET', '/api/user/self')).status).toBe(200);
    expect((await there.browser.send('GET', '/api/user/self')).status).toBe(401);
  });

  it('sessions are listed, the current one marked, and all signed out together', async () => {
    const user = await site.addUser();
    const browsers = [await signedIn(site, user), await signedIn(site, user)];
    const [first, second] = browsers;
    const { body } = (await first?.send('GET', '/api/user/sessions')) ?? {};
    expect(body.data).toMatchObject({ total: 2, page: 1 });
    expect(body.data.items.filter((item: { current: boolean }) => item.current)).toHaveLength(1);
    await first?.send('POST', '/api/user/sessions/end', { body: { keep_current: true } });
    expect((await first?.send('GET', '/api/user/self'))?.status).toBe(200);
    expect((await second?.send('GET', '/api/user/self'))?.status).toBe(401);
    await first?.send('POST', '/api/user/sessions/end');
    expect((await first?.send('GET', '/api/user/self'))?.status).toBe(401);
  });

  it('an access token is created in a browser, works, and cannot create another', async () => {
    const browser = await signedIn(site, await site.addUser());
    const { body } = await browser.send('GET', '/api/user/token');
    const program = apiClient(site, body.data);
    expect((await program.send('GET', '/api/user/self')).body.success).toBe(true);
    for (const method of ['GET', 'POST'])
      expect((await program.send(method, '/api/user/token')).body.code).toBe('session_only');
    const newer = (await browser.send('POST', '/api/user/token')).body.data;
    expect((await program.send('GET', '/api/user/self')).body.code).toBe('access_token_invalid');
    await browser.send('DELETE', '/api/user/token');
    expect((await apiClient(site, newer).send('GET', '/api/user/self')).body.code).toBe(
      'access_token_invalid',
    );
  });

  it('calls on the own account require a sign-in', async () => {
    const guest = apiClient(site);
    const calls = [
      ['GET', '/api/user/self'],
      ['PUT', '/api/user/setting'],
      ['GET', '/api/user/models'],
      ['GET', '/api/user/token'],
      ['POST', '/api/user/check_in'],
      ['POST', '/api/user/aff_transfer'],
      ['GET', '/api/oauth/email/bind'],
      ['POST', '/api/oauth/email/bind'],
    ] as const;
    for (const [method, path] of calls) expect((await guest.send(method, path)).status).toBe(401);
  });

  it('a cross-site call has no effect', async () => {
    const user = await site.addUser();
    const browser = await signedIn(site, user);
    const headers = { 'sec-fetch-site': 'cross-site' };
    for (const [method, path] of [
      ['GET', '/api/user/token'],
      ['GET', '/api/user/logout'],
      ['DELETE', '/api/user/self'],
    ] as const)
      expect((await browser.send(method, path, { headers })).status).toBe(403);
    expect((await browser.send('GET', '/api/user/self')).body.data).toMatchObject({ id: user.id });
  });

  describe("confirmation of the owner's identity", () => {
    const isRefused = { body: { success: false, code: 'password_needed', param: 'password' } };

    async function anOwner() {
      const user = await site.addUser({ password });
      const token = await site.addToken({ owner: user });
      const browser = await signedIn(site, user);
      const program = apiClient(site, (await browser.send('GET', '/api/user/token')).body.data);
      const grow = () =>
        site.ctx.db('sessions').where({ user_id: user.id }).decrement('created_at', 601);
      const shows = [
        [`/api/token/${token.id}/reveal`, {}],
        [`/api/token/${token.id}/key`, {}],
        ['/api/token/batch/reveal', { ids: [token.id] }],
        ['/api/token/batch/keys', { ids: [token.id] }],
      ] as const;
      return { browser, program, grow, shows };
    }

    it('is required for an access token, and for a session after ten minutes', async () => {
      const { browser, program, grow, shows } = await anOwner();
      for (const [path, body] of shows)
        expect((await browser.send('POST', path, { body })).body.success).toBe(true);
      await grow();
      for (const visitor of [program, browser]) {
        for (const [path, body] of shows) {
          expect(await visitor.send('POST', path, { body })).toMatchObject(isRefused);
          const wrong = await visitor.send('POST', path, { body: { ...body, password: 'wrong' } });
          expect(wrong.body).toMatchObject({ code: 'input_invalid', param: 'password' });
          const right = await visitor.send('POST', path, { body: { ...body, password: PASSWORD } });
          expect(right.body.success).toBe(true);
        }
        expect(await visitor.send('DELETE', '/api/user/self')).toMatchObject(isRefused);
      }
      const query = { password: PASSWORD };
      expect(await program.send('DELETE', '/api/user/self', { query })).toMatchObject(isRefused);
      const closed = await program.send('DELETE', '/api/user/self', {
        body: { password: PASSWORD },
      });
      expect(closed.body).toEqual({ success: true, message: '', data: null });
    });

    it('lasts ten minutes after the password was confirmed; signing out elsewhere does not extend it', async () => {
      const { browser, program, grow } = await anOwner();
      await grow();
      const body = { keep_current: true };
      expect((await browser.send('POST', '/api/user/sessions/end', { body })).body.success).toBe(
        true,
      );
      expect(await browser.send('DELETE', '/api/user/self')).toMatchObject(isRefused);
      const confirm = (password: string) =>
        browser.send('POST', '/api/user/confirm', { body: { password } });
      expect((await confirm('wrong')).body).toMatchObject({ param: 'password' });
      expect((await confirm(PASSWORD)).body.success).toBe(true);
      const refused = await program.send('POST', '/api/user/confirm', {
        body: { password: PASSWORD },
      });
      expect(refused.body.code).toBe('session_only');
      expect((await browser.send('DELETE', '/api/user/self')).body.success).toBe(true);
    });

    it.each([
      ['PUT', '/api/user/self', 'original_password', { password: 'another one' }],
      ['POST', '/api/user/password', 'original_password', { password: 'another one' }],
      ['DELETE', '/api/user/self', 'password', {}],
    ] as const)('is required for an access token by %s %s', async (method, path, field, fields) => {
      const { program, browser } = await anOwner();
      const { id } = (await browser.send('GET', '/api/user/self')).body.data;
      const send = async (proof?: string) =>
        (await program.send(method, path, { body: { id, ...fields, [field]: proof } })).body;
      expect(await send()).toMatchObject({ code: 'password_needed', param: field });
      expect(await send('wrong')).toMatchObject({ code: 'input_invalid', param: field });
      expect(await send(PASSWORD)).toMatchObject({ success: true });
    });

    it('allows a password change without the old one in a recent session only', async () => {
      const { browser, program, grow } = await anOwner();
      const change = (who: typeof browser, original_password?: string) =>
        who.send('PUT', '/api/user/self', { body: { password: 'another one', original_password } });
      const needed = { code: 'password_needed', param: 'original_password' };
      expect((await change(program)).body).toMatchObject(needed);
      expect((await change(browser, 'wrong')).body).toMatchObject({ param: 'original_password' });
      expect((await change(browser)).body.success).toBe(true);
      await grow();
      expect((await change(browser)).body).toMatchObject(needed);
      expect((await change(browser, 'another one')).body.success).toBe(true);
    });

    it('of an account without a password is a recent session', async () => {
      const browser = await signedIn(site, await site.addUser());
      const program = apiClient(site, (await browser.send('GET', '/api/user/token')).body.data);
      await site.ctx.db('sessions').decrement('created_at', 601);
      const close = (who: typeof browser) => who.send('DELETE', '/api/user/self');
      expect((await close(program)).body.code).toBe('session_only');
      expect((await close(browser)).body.code).toBe('sign_in_again');
    });
  });

  it('groups, models, the invite code and check-in respond in their documented forms', async () => {
    await site.option('CheckInEnabled', true);
    const browser = await signedIn(site, await site.addUser());
    const dataOf = async (path: string) => (await browser.send('GET', path)).body.data;
    expect(await dataOf('/api/user/groups')).toMatchObject({ default: { ratio: 1 } });
    expect(await dataOf('/api/user/self/groups')).toMatchObject({ default: { ratio: 1 } });
    expect(await dataOf('/api/user/models')).toContain('gpt-4o');
    expect(await dataOf('/api/user/aff')).toMatch(/^\w{8}$/);
    expect(await dataOf('/api/user/check_in_status')).toEqual({
      can_check_in: true,
      checked_in_at: [],
    });
    const paid = await browser.send('POST', '/api/user/check_in');
    expect(paid.body.data).toEqual({ quota: 1000 });
  });

  it('an admin closes an account by its id, and gets the envelope', async () => {
    const admin = await site.addUser({ role: 10 });
    const user = await site.addUser();
    const browser = await signedIn(site, admin);
    const reply = await browser.send('DELETE', `/api/user/${user.id}`);
    expect(reply.body).toEqual({ success: true, message: '', data: null });
    expect((await site.as(OPERATOR).user.get({ id: user.id })).DeletedAt).not.toBeNull();
    const own = await browser.send('DELETE', `/api/user/${admin.id}`);
    expect(own.body).toMatchObject({ success: false, code: 'user_protected' });
    const odd = await browser.send('POST', '/api/user/manage', {
      body: { id: user.id, action: 'explode' },
    });
    expect(odd.body).toMatchObject({ success: false, param: 'action' });
  });
});
