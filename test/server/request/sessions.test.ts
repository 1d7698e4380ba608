/** Authentication of a request, and how soon account changes apply to it. */
import { describe, expect, it } from 'vitest';
import { SESSION_LIFETIME_SEC, startSession } from '../../../src/services/credentials/sessions.ts';
import { apiClient, signedIn, visitWith } from '../../support/api-client.ts';
import { databases } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import type { SiteUser } from '../../support/site.ts';

const SELF = '/api/token/';

describe.each(databases)('sessions on $kind', async ({ kind }) => {
  const site = await sharedSite({ database: kind, config: { apiRateLimitEnabled: false } });

  const asRoot = (user: SiteUser, action: 'disable' | 'demote' | 'delete' | 'promote') =>
    site.as({ kind: 'operator' }).user.manage({ id: user.id, action });

  it('refuses a banned user at the next call and never restores the session', async () => {
    const user = await site.addUser();
    const browser = await signedIn(site, user);
    expect((await browser.send('GET', SELF)).body.success).toBe(true);
    await asRoot(user, 'disable');
    expect((await browser.send('GET', SELF)).status).toBe(401);
    await site.as({ kind: 'operator' }).user.manage({ id: user.id, action: 'enable' });
    expect((await browser.send('GET', SELF)).status).toBe(401);
  });

  it('ends the sessions of a demoted admin, of a closed account and after a password change', async () => {
    const admin = await site.addUser({ role: 10 });
    const closed = await site.addUser();
    const changed = await site.addUser();
    const browsers = await Promise.all([admin, closed, changed].map((one) => signedIn(site, one)));
    await asRoot(admin, 'demote');
    await asRoot(closed, 'delete');
    const operator = site.as({ kind: 'operator' });
    await operator.user.setPassword({ id: changed.id, password: 'another-password' });
    for (const browser of browsers) expect((await browser.send('GET', SELF)).status).toBe(401);
  });

  it('gives a promoted user the new role immediately', async () => {
    const user = await site.addUser();
    const token = await site.as({ kind: 'operator' }).user.newAccessToken({ id: user.id });
    const program = apiClient(site, token);
    expect((await program.send('GET', '/api/user/')).body.code).toBe('permission_denied');
    await asRoot(user, 'promote');
    expect((await program.send('GET', '/api/user/')).body.success).toBe(true);
  });

  it("ends the browser's previous session when it signs in again", async () => {
    const browser = await signedIn(site, await site.addUser());
    const planted = new Map(browser.cookies);
    await startSession(site.ctx, visitWith(browser.cookies), (await site.addUser()).id);
    expect(browser.cookies.get('gateway_session')).not.toBe(planted.get('gateway_session'));
    const victim = apiClient(site);
    for (const [name, value] of planted) victim.cookies.set(name, value);
    expect((await victim.send('GET', SELF)).status).toBe(401);
  });

  it('stores only a hash of the cookie', async () => {
    const browser = await signedIn(site, await site.addUser());
    const rows = await site.ctx.reads('sessions').select('id_hash');
    expect(rows.map((row) => row.id_hash)).not.toContain(browser.cookies.get('gateway_session'));
  });

  it('expires an unused session', async () => {
    const user = await site.addUser();
    const browser = await signedIn(site, user);
    await site.ctx
      .db('sessions')
      .where({ user_id: user.id })
      .update({ expires_at: Math.floor(Date.now() / 1000) - 1 });
    expect((await browser.send('GET', SELF)).status).toBe(401);
  });

  it('extends a session in use, but not at every call', async () => {
    const user = await site.addUser();
    const browser = await signedIn(site, user);
    const now = Math.floor(Date.now() / 1000);
    const sessions = () => site.ctx.db('sessions').where({ user_id: user.id });
    await sessions().update({ seen_at: now - 3_600, expires_at: now + 60 });
    await browser.send('GET', SELF);
    const moved = Number((await sessions().first()).expires_at);
    expect(moved).toBeGreaterThanOrEqual(now + SESSION_LIFETIME_SEC);
    await sessions().update({ expires_at: now + 120 });
    await browser.send('GET', SELF);
    expect(Number((await sessions().first()).expires_at)).toBe(now + 120);
  });
});

describe('credentials', async () => {
  const site = await sharedSite({ config: { apiRateLimitEnabled: false } });

  it('accepts an access token with and without Bearer, and refuses a wrong one', async () => {
    const token = await site.as({ kind: 'operator' }).user.newAccessToken({ id: site.user.id });
    for (const header of [token, `Bearer ${token}`, `bearer  ${token}`])
      expect((await apiClient(site, header).send('GET', SELF)).body.success).toBe(true);
    const wrong = await apiClient(site, 'Bearer nonsense').send('GET', SELF);
    expect(wrong).toMatchObject({
      status: 200,
      body: { success: false, code: 'access_token_invalid' },
    });
  });

  it.each(['Gateway-User', 'New-Api-User', 'Veloera-User'])(
    'accepts %s if it names the signed-in user and refuses it otherwise',
    async (header) => {
      const browser = await signedIn(site, site.user);
      const send = (value: string) => browser.send('GET', SELF, { headers: { [header]: value } });
      expect((await send(String(site.user.id))).status).toBe(200);
      for (const value of [String(site.user.id + 1), 'ann', ''])
        expect((await send(value)).body).toMatchObject({ code: 'user_header_wrong' });
    },
  );

  it('does not accept an API token as an access token', async () => {
    const reply = await apiClient(site, `Bearer ${site.token.key}`).send('GET', SELF);
    expect(reply.body.code).toBe('access_token_invalid');
  });
});
