import { describe, expect, it } from 'vitest';
import { databases } from '../../../support/databases.ts';
import { expectRefusal, outcomesOf } from '../../../support/expect-refusal.ts';
import { OPERATOR } from '../../../support/local-site.ts';
import { type SignInSite, sharedSignInSite } from './sign-in-site.ts';

const mona = (id: number) => ({ user: { id, login: `mona-${id}` } });

describe.each(databases)('accounts of external identities on $kind', async ({ kind }) => {
  const site = await sharedSignInSite(kind);

  const users = (where: object) => site.ctx.db('users').where(where);
  async function signedIn(fields: Parameters<SignInSite['aUser']>[0] = {}) {
    const user = await site.aUser(fields);
    const browser = site.browser();
    await browser.signInAs(user.id);
    return { user, browser };
  }

  it('eight concurrent first sign-ins create one account with one opening balance', async () => {
    await site.option('QuotaForNewUser', 700);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => site.signIn(mona(1))));
    await site.option('QuotaForNewUser', 0);
    const ids = new Set(outcomes.map(({ data }) => data?.id));
    expect(ids.size).toBe(1);
    expect(await users({ github_id: '1' })).toMatchObject([{ id: [...ids][0], quota: 700 }]);
    expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({ ok: true });
  });

  it('eight concurrent new users each get an account and a unique name', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => site.signIn(mona(100 + index))),
    );
    const names = outcomes.map(({ data }) => data?.username ?? '');
    expect(new Set(names).size).toBe(8);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(12);
  });

  it('skips to following numbers when names are taken', async () => {
    const { id } = await site.aUser();
    for (const next of [2, 3, 4]) await site.aUser({ username: `github_${id + next + 2}` });
    const { data } = await site.signIn(mona(2));
    expect(data?.username).toMatch(/^github_\d+$/);
  });

  it('binds an identity to the signed-in user; again has no effect, another one replaces it', async () => {
    const { user, browser } = await signedIn();
    for (const id of [7, 7, 8])
      expect(await site.signIn(mona(id), { browser })).toEqual({ message: 'bind' });
    expect(await users({ id: user.id })).toMatchObject([{ github_id: '8' }]);
    expect(await users({ github_id: '7' })).toEqual([]);
    const lines = (await site.as(OPERATOR).log.list({ username: user.username, type: 3 })).items;
    expect(lines.map(({ content }) => content)).toEqual([
      'GitHub bound',
      'GitHub bound',
      'Account created',
    ]);
    expect(await browser.userId()).toBe(user.id);
  });

  it('an identity of another account stays there, even if closed or stored by an older name', async () => {
    await site.aUser({ ids: { github_id: '9' } });
    const closed = await site.aUser({ ids: { github_id: '10' } });
    await users({ id: closed.id }).update({ deleted_at: 1 });
    await site.aUser({ ids: { github_id: 'mona-11' } });
    const { user, browser } = await signedIn();
    for (const id of [9, 10, 11])
      await expectRefusal(site.signIn(mona(id), { browser }), 'identity_taken');
    expect(await users({ id: user.id })).toMatchObject([{ github_id: '' }]);
  });

  it('one of eight accounts that concurrently bind one identity gets it', async () => {
    const browsers = await Promise.all(Array.from({ length: 8 }, () => signedIn()));
    const calls = browsers.map(({ browser }) => site.signIn(mona(12), { browser }));
    expect(await outcomesOf(calls)).toEqual({ done: 1, identity_taken: 7 });
    expect(await users({ github_id: '12' })).toHaveLength(1);
  });

  it('two concurrent unbindings leave one sign-in method', async () => {
    const { user, browser } = await signedIn({ ids: { github_id: '15', oidc_id: 'fifteen' } });
    const outcomes = await Promise.allSettled([
      browser.call('unbind', { provider: 'github' }),
      browser.call('unbind', { provider: 'oidc' }),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [row] = await users({ id: user.id });
    expect([row.github_id, row.oidc_id].filter((value) => value !== '')).toHaveLength(1);
  });

  it('converts an older login name once for two concurrent sign-ins', async () => {
    const user = await site.aUser({ ids: { github_id: 'mona-17' } });
    const outcomes = await Promise.all([site.signIn(mona(17)), site.signIn(mona(17))]);
    for (const { data } of outcomes) expect(data?.id).toBe(user.id);
    expect(await users({ github_id: '17' })).toHaveLength(1);
  });

  // No SQL of an engine decides these.
  if (kind !== 'sqlite') return;

  it('a banned or closed account is refused, and no second one is created', async () => {
    const banned = await site.aUser({ ids: { github_id: '3' } });
    await users({ id: banned.id }).update({ status: 2 });
    await expectRefusal(site.signIn(mona(3)), 'account_banned');
    const closed = await site.aUser({ ids: { github_id: '4' } });
    await users({ id: closed.id }).update({ deleted_at: 1 });
    await expectRefusal(site.signIn(mona(4)), 'account_closed');
    expect(await users({ github_id: '3' })).toHaveLength(1);
    expect(await users({ github_id: '4' })).toHaveLength(1);
  });

  it('while registration is off no account is created, and existing ones can sign in', async () => {
    await site.signIn(mona(5));
    await site.option('RegisterEnabled', false);
    await expectRefusal(site.signIn(mona(6)), 'registration_off');
    expect(await site.signIn(mona(5))).toMatchObject({ message: '' });
    await site.option('RegisterEnabled', true);
  });

  it('a session that ended between click and callback binds nothing', async () => {
    const { user, browser } = await signedIn();
    const { state } = await browser.call('start', { provider: 'github' });
    await users({ id: user.id }).update({ session_version: 99 });
    const call = browser.call('github', { code: site.fake.grant(mona(13)), state });
    await expectRefusal(call, 'oauth_state_invalid');
  });

  it('unbinds an identity while another sign-in method remains', async () => {
    const { user, browser } = await signedIn({ ids: { github_id: '14', oidc_id: 'fourteen' } });
    await browser.call('unbind', { provider: 'github' });
    await expectRefusal(browser.call('unbind', { provider: 'github' }), 'identity_missing');
    await expectRefusal(browser.call('unbind', { provider: 'oidc' }), 'identity_last');
    expect(await users({ id: user.id })).toMatchObject([{ github_id: '', oidc_id: 'fourteen' }]);
    await site.signIn(mona(14));
    expect(await users({ github_id: '14' }).whereNot({ id: user.id })).toHaveLength(1);
  });

  it('a password counts as another sign-in method', async () => {
    const { browser } = await signedIn({ ids: { github_id: '16' }, password: 'a-hash' });
    await browser.call('unbind', { provider: 'github' });
    expect(await users({ github_id: '16' })).toEqual([]);
  });
});
