/**
 * Checks that access revoked from an account, a token or a group ends with the next request on
 * every node.
 */
import { describe, expect, it } from 'vitest';
import { apiClient, signedIn } from '../../support/api-client.ts';
import { databases } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR, type Site } from '../../support/site.ts';

const LIMITS = { apiRateLimitEnabled: false, criticalRateLimitEnabled: false };

describe.each(databases)('revoked access on $kind', async ({ kind }) => {
  const place = await sharedSite({ database: kind, config: LIMITS });

  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
  const operator = () => place.as(OPERATOR);

  /** An account with all its credentials, used once so that it is in every cache. */
  async function inUse(fields: Parameters<Site['addUser']>[0] = {}) {
    const account = await place.addUser(fields);
    const browser = await signedIn(place, account);
    const token = await place.addToken({ owner: account });
    const program = apiClient(place, await operator().user.newAccessToken({ id: account.id }));
    const ways = {
      browser: () => browser.send('GET', '/api/user/self'),
      program: () => program.send('GET', '/api/user/self'),
      relay: () => place.call({ key: token.key, body }),
      models: () => place.call({ key: token.key, path: '/v1/models' }),
      playground: () => browser.send('POST', '/pg/chat/completions', { body }),
    };
    const works = async () => {
      const entries = Object.entries(ways).map(async ([name, send]) => {
        const reply = await send();
        const { success = true } = 'body' in reply ? (reply.body ?? {}) : {};
        return [name, reply.status === 200 && success] as const;
      });
      return Object.fromEntries(await Promise.all(entries));
    };
    expect(Object.values(await works())).not.toContain(false);
    return { account, token, works, program };
  }

  const NOWHERE = {
    browser: false,
    program: false,
    relay: false,
    models: false,
    playground: false,
  };

  it('of a banned or deleted account ends at once everywhere', async () => {
    for (const action of ['disable', 'delete'] as const) {
      const { account, works } = await inUse();
      await operator().user.manage({ id: account.id, action });
      expect(await works()).toEqual(NOWHERE);
    }
  });

  it('returns with the account, but without its sessions', async () => {
    const { account, works } = await inUse();
    await operator().user.manage({ id: account.id, action: 'disable' });
    await operator().user.manage({ id: account.id, action: 'enable' });
    expect(await works()).toEqual({ ...NOWHERE, program: true, relay: true, models: true });
  });

  it('of a demoted admin ends at once for calls, routes and channel selection', async () => {
    const { account, token, program } = await inUse({ role: 10 });
    const pinned = () => place.call({ key: `${token.key}-${place.channel.id}`, body });
    const manages = async () => (await program.send('GET', '/api/channel/')).body.success;
    expect([(await pinned()).status, await manages()]).toEqual([200, true]);
    await operator().user.manage({ id: account.id, action: 'demote' });
    expect([(await pinned()).status, await manages()]).toEqual([403, false]);
  });

  it('of a token ends at once without affecting other tokens', async () => {
    const { token, works } = await inUse();
    await operator().token.setStatus({ id: token.id, status: 2 });
    const without = { browser: true, program: true, relay: false, models: false, playground: true };
    expect(await works()).toEqual(without);
    await operator().token.setStatus({ id: token.id, status: 1 });
    expect(await works()).toEqual({ ...without, relay: true, models: true });
    await operator().token.remove({ id: token.id });
    expect(await works()).toEqual(without);
  });

  it('of an access token ends when a new one is issued', async () => {
    const { account, works } = await inUse();
    await operator().user.newAccessToken({ id: account.id });
    expect(await works()).toMatchObject({ program: false, browser: true, relay: true });
  });

  it('to a group ends for the tokens that used it', async () => {
    await operator().group.set({ name: 'vip', ratio: 1, selectable: true });
    await place.addChannel({ group: 'vip', models: 'gpt-4o' });
    const owner = await place.addUser();
    const { key } = await place.addToken({ owner, group: 'vip' });
    expect((await place.call({ key, body })).status).toBe(200);
    await operator().group.set({ name: 'vip', selectable: false });
    expect((await place.call({ key, body })).status).toBe(403);
  });
});
