import { describe, expect, it } from 'vitest';
import { nowSec } from '../../../../src/context.ts';
import { pruneExpired } from '../../../../src/store/tables/expired-rows.ts';
import { databases } from '../../../support/databases.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { sharedSignInSite } from './sign-in-site.ts';

const INVALID = { code: 'oauth_state_invalid' };
const octocat = (id: number) => ({ user: { id, login: `octocat-${id}`, name: 'Octocat' } });

describe.each(databases)('the state of a sign-in on $kind', async ({ kind }) => {
  const site = await sharedSignInSite(kind);

  const codeFor = (id: number) => site.fake.grant(octocat(id));

  it('is alphanumeric and starts one sign-in', async () => {
    const browser = site.browser();
    const state = await browser.call('state', {});
    expect(state).toMatch(/^[0-9A-Za-z]{12,}$/);
    const { data } = await browser.call('github', { code: codeFor(1), state });
    expect(data).toMatchObject({ username: expect.stringMatching(/^github_\d+$/), role: 1 });
    expect(await browser.userId()).toBe(data?.id);
  });

  it('works once, even for ten concurrent requests', async () => {
    const browser = site.browser();
    const state = await browser.call('state', {});
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => browser.call('github', { code: codeFor(2), state })),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(9);
    for (const { reason } of refused) expect(reason).toMatchObject(INVALID);
  });

  it('is used up by a failed sign-in', async () => {
    const browser = site.browser();
    const state = await browser.call('state', {});
    const error = 'access_denied';
    await expectRefusal(browser.call('github', { error, state }), 'oauth_denied');
    await expect(browser.call('github', { code: codeFor(3), state })).rejects.toMatchObject(
      INVALID,
    );
  });

  it('of another browser is refused and used up', async () => {
    const [mine, other] = [site.browser(), site.browser()];
    const state = await other.call('state', {});
    await mine.call('state', {});
    await expect(mine.call('github', { code: codeFor(4), state })).rejects.toMatchObject(INVALID);
    expect(await mine.userId()).toBe(0);
    await expect(other.call('github', { code: codeFor(4), state })).rejects.toMatchObject(INVALID);
  });

  it('is refused if the browser has no cookie, or the state is missing', async () => {
    const browser = site.browser();
    const state = await browser.call('state', {});
    browser.cookies.clear();
    for (const sent of [state, '', undefined, 'made-up'])
      await expect(browser.call('github', { code: codeFor(5), state: sent })).rejects.toMatchObject(
        INVALID,
      );
  });

  it('expires after ten minutes, and expired ones are deleted', async () => {
    const browser = site.browser();
    const state = await browser.call('state', {});
    site.pass(600);
    await expect(browser.call('github', { code: codeFor(6), state })).rejects.toMatchObject(
      INVALID,
    );
    site.pass(1);
    const fresh = await browser.call('state', {});
    expect(await pruneExpired(site.ctx.db, 'sign_in_states', nowSec(site.ctx))).toBeGreaterThan(0);
    expect(await site.ctx.db('sign_in_states').select('state_hash')).toEqual([
      { state_hash: site.ctx.secrets.hash(fresh) },
    ]);
  });

  it('of one provider does not work for another', async () => {
    const browser = site.browser();
    const { state } = await browser.call('start', { provider: 'linuxdo' });
    await expect(browser.call('github', { code: codeFor(7), state })).rejects.toMatchObject(
      INVALID,
    );
  });

  it('started as a guest does not bind to a user who signed in meanwhile', async () => {
    const browser = site.browser();
    const user = await site.aUser();
    const state = await browser.call('state', {});
    await browser.signInAs(user.id);
    await expect(browser.call('github', { code: codeFor(8), state })).rejects.toMatchObject(
      INVALID,
    );
    expect(await site.ctx.db('users').where({ github_id: '8' })).toEqual([]);
  });

  it('allows two tabs of one browser to sign in one after the other', async () => {
    const browser = site.browser();
    const first = await browser.call('state', {});
    const second = await browser.call('state', {});
    await browser.call('github', { code: codeFor(9), state: first });
    browser.cookies.delete('session');
    await browser.call('github', { code: codeFor(9), state: second });
    expect(await browser.userId()).toBeGreaterThan(0);
  });

  it('is stored without readable state, cookie or verifier', async () => {
    const browser = site.browser();
    const { state, url } = await browser.call('start', {
      provider: 'github',
      return_to: '/app/me',
    });
    const stored = JSON.stringify(await site.ctx.db('sign_in_states').select());
    const nonce = new URL(url).searchParams.get('code_challenge') ?? '';
    for (const secret of [state, browser.cookies.get('sign_in') ?? '', nonce])
      expect(stored).not.toContain(secret);
  });

  it('contains the page to return to', async () => {
    const browser = site.browser();
    const given = await site.signIn(octocat(10), { browser, return_to: '/app/logs?p=2' });
    expect(given.return_to).toBe('/app/logs?p=2');
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/a\nb', 'app'])(
    'refuses to redirect outside this site: %j',
    async (return_to) => {
      const start = site.browser().call('start', { provider: 'github', return_to });
      await expectRefusal(start, 'input_invalid', { param: 'return_to' });
    },
  );
});
