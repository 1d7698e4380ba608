import { afterEach, describe, expect, it } from 'vitest';
import { databases } from '../../support/databases.ts';
import { outcomesOf } from '../../support/expect-refusal.ts';
import { createLocalSite, type LocalSite, OPERATOR } from '../../support/local-site.ts';

const INPUT = { username: 'root', password: 'password1', confirmPassword: 'password1' };

describe.each(databases)('first run on $kind', ({ kind }) => {
  let site: LocalSite;
  afterEach(() => site.close());

  it('creates the root account with its quota in the ledger, and sets the mode', async () => {
    site = await createLocalSite(kind);
    const api = site.as(OPERATOR);
    expect(await api.setup.state({})).toEqual({
      status: false,
      root_init: false,
      database_type: kind,
      code_needed: false,
      proxy_detected: '',
    });
    await api.setup.run({ ...INPUT, SelfUseModeEnabled: true });
    expect(await api.setup.state({})).toMatchObject({ status: true });
    const root = await api.user.getByName({ username: 'root' });
    expect(root).toMatchObject({ role: 100, quota: 100_000_000, display_name: 'Root User' });
    expect(await api.status.get({})).toMatchObject({ setup: true, self_use_mode_enabled: true });
    expect(await api.ledger.verify({})).toMatchObject({ ok: true, differences: [] });
  });

  it('creates one root account for two concurrent requests', async () => {
    site = await createLocalSite(kind);
    const api = site.as(OPERATOR);
    const calls = [api.setup.run(INPUT), api.setup.run({ ...INPUT, username: 'other' })];
    expect(await outcomesOf(calls)).toEqual({ done: 1, already_set_up: 1 });
    expect((await api.user.list({ role: 100 })).total).toBe(1);
  });
});

describe('a refused set-up', () => {
  let site: LocalSite;
  afterEach(() => site.close());

  it.each([
    [{ confirmPassword: 'password2' }, 'passwords_differ', 'confirmPassword'],
    [{ password: 'short', confirmPassword: 'short' }, 'input_invalid', 'password'],
    [{ username: '  ' }, 'input_invalid', 'username'],
    [{ username: 'a b' }, 'input_invalid', 'username'],
    [{ username: 'thirteenchars' }, 'input_invalid', 'username'],
  ])('has %o', async (wrong, code, param) => {
    site = await createLocalSite();
    const api = site.as(OPERATOR);
    await expect(api.setup.run({ ...INPUT, ...wrong })).rejects.toMatchObject({ code, param });
    expect(await api.setup.state({})).toMatchObject({ status: false });
  });

  it('is one of a site that already has a root account, even without the marker row', async () => {
    site = await createLocalSite();
    await site.aUser({ role: 100 });
    const api = site.as(OPERATOR);
    expect(await api.setup.state({})).toMatchObject({ status: true });
    await expect(api.setup.run(INPUT)).rejects.toMatchObject({ code: 'already_set_up' });
  });
});
