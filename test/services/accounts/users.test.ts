import { describe, expect, it } from 'vitest';
import { verifyPassword } from '../../../src/services/credentials/passwords.ts';
import { passwordHashOf, userById } from '../../../src/store/tables/users-table.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal, outcomesOf } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

describe.each(databases)('manual balance changes on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const api = site.as(OPERATOR);

  it('40 concurrent additions all count, and the ledger agrees', async () => {
    const { id } = await site.aUser({ quota: 1000 });
    const add = (units: number) => api.user.setQuota({ id, mode: 'add', units });
    await Promise.all(Array.from({ length: 40 }, (_, index) => add(index + 1)));
    expect((await api.user.get({ id })).quota).toBe(1000 + 820);
    expect(await api.ledger.verify({})).toMatchObject({ ok: true, differences: [] });
  });

  it('a repeated key counts once, even for concurrent requests', async () => {
    const { id } = await site.aUser();
    const add = () => api.user.setQuota({ id, mode: 'add', units: 70, key: 'invoice 4' });
    const answers = await Promise.all([add(), add(), add()]);
    expect(answers.filter((answer) => answer.repeated)).toHaveLength(2);
    expect((await api.user.get({ id })).quota).toBe(70);
  });

  it('a key of one user does not affect another', async () => {
    const [first, second] = [await site.aUser(), await site.aUser()];
    for (const { id } of [first, second])
      await api.user.setQuota({ id, mode: 'add', units: 5, key: 'same' });
    expect((await api.user.get({ id: second.id })).quota).toBe(5);
  });

  it('a withdrawal takes only the free balance, and returns the amount', async () => {
    const { id } = await site.aUser({ quota: 100 });
    await expectRefusal(api.user.setQuota({ id, mode: 'add', units: -101 }), 'quota_short', {
      params: { needed: 101, left: 100 },
    });
    expect(await api.user.setQuota({ id, mode: 'add', units: -100 })).toMatchObject({ after: 0 });
  });

  it('parallel withdrawals never overdraw', async () => {
    const { id } = await site.aUser({ quota: 100 });
    const take = () => api.user.setQuota({ id, mode: 'add', units: -30 });
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, take));
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(3);
    expect((await api.user.get({ id })).quota).toBe(10);
  });

  it('setting a balance creates one ledger entry with the old and new balance', async () => {
    const { id, username } = await site.aUser({ quota: 100 });
    expect(await api.user.setQuota({ id, mode: 'set', units: 40 })).toEqual({
      before: 100,
      after: 40,
      repeated: false,
    });
    const { items } = await api.ledger.list({ user: id });
    expect(items.map((item) => [item.cause, item.user_units])).toEqual([
      ['admin_edit', -60],
      ['opening', 100],
    ]);
    const [line] = (await api.log.list({ username, type: 3 })).items;
    expect(line).toMatchObject({ content: 'Quota changed from $0.0002 to $0.00008', quota: -60 });
    expect(JSON.parse(line?.other ?? '')).toEqual({
      action: 'user_quota',
      before: 100,
      after: 40,
      event: 'quota_changed',
      params: { before: 100, after: 40 },
      admin_info: { actor: 'operator' },
    });
  });

  it('concurrent requests never create two accounts of one name', async () => {
    const make = () => api.user.create({ username: 'twin', password: 'password1' });
    expect(await outcomesOf([make(), make()])).toEqual({ done: 1, user_name_taken: 1 });
  });

  it('users are found by part of name, email or display name, and by id, without wildcards', async () => {
    const { id } = await site.aUser({ username: 'per%cent', email: 'Ann_B@x.org' });
    const found = async (keyword: string) =>
      (await api.user.list({ keyword })).items.map((user) => user.id);
    expect(await found('r%c')).toEqual([id]);
    expect(await found('ann_b@')).toEqual([id]);
    expect(await found('%_%')).toEqual([]);
    expect(await found(String(id))).toContain(id);
  });
});

describe('accounts', async () => {
  const site = await sharedLocalSite();
  const api = site.as(OPERATOR);
  await site.aUser({ username: 'taken', email: 'taken@x.org' });

  it('a new account takes its name as display name, the default group and the new-user quota', async () => {
    await api.option.set({ key: 'QuotaForNewUser', value: 300 });
    const user = await api.user.create({ username: ' dora ', password: 'password1' });
    expect(user).toMatchObject({
      username: 'dora',
      display_name: 'dora',
      group: 'default',
      quota: 300,
      role: 1,
      status: 1,
    });
    const { items } = await api.log.list({ username: 'dora' });
    expect(items.map((line) => line.type)).toEqual([4, 3]);
  });

  it('no response contains a password, a hash or a setting', async () => {
    const user = await api.user.create({ username: 'quiet', password: 'password1' });
    await api.user.newAccessToken({ id: user.id });
    const shown = Object.keys(await api.user.get({ id: user.id })).join();
    expect(shown).not.toMatch(/password|access_token|hash|setting|version/);
  });

  it('an edit writes the sent fields only, and never the balance', async () => {
    const { id } = await site.aUser({ username: 'erin', quota: 900, email: 'erin@x.org' });
    const after = await api.user.edit({ id, display_name: 'Erin E.' });
    expect(after).toMatchObject({
      username: 'erin',
      display_name: 'Erin E.',
      quota: 900,
      email: 'erin@x.org',
    });
    expect(await api.user.edit({ id, quota: 50 })).toMatchObject({ quota: 50 });
    expect(await api.ledger.verify({})).toMatchObject({ ok: true });
  });

  it.each([
    [{ username: 'taken' }, 'user_name_taken'],
    [{ email: 'TAKEN@x.org' }, 'email_taken'],
    [{ email: 'no address' }, 'input_invalid'],
    [{ group: 'nowhere' }, 'group_missing'],
    [{ password: 'short' }, 'input_invalid'],
    [{ quota: -1 }, 'input_invalid'],
  ])('an edit refuses %o', async (wrong, code) => {
    const { id } = await site.aUser();
    await expect(api.user.edit({ id, ...wrong })).rejects.toMatchObject({ code });
  });

  it('a new password ends sessions; the own one requires the current password', async () => {
    const { id, actor } = await site.aUser();
    await api.user.setPassword({ id, password: 'first one' });
    const version = (await userById(site.ctx.db, id))?.session_version ?? 0;
    const own = site.as(actor).user;
    await expect(own.setPassword({ id, password: 'second one' })).rejects.toMatchObject({
      param: 'original_password',
    });
    await own.setPassword({ id, password: 'second one', original_password: 'first one' });
    expect(await verifyPassword(await passwordHashOf(site.ctx.db, id), 'second one')).toBe('right');
    expect((await userById(site.ctx.db, id))?.session_version).toBe(version + 1);
  });

  it('an access token is shown once and kept as a hash', async () => {
    const { id } = await site.aUser();
    const token = await api.user.newAccessToken({ id });
    expect(token).toMatch(/^[\w-]{32}$/);
    const row = await site.ctx.db('users').where({ id }).first('access_token_hash');
    expect(row.access_token_hash).toBe(site.ctx.secrets.hash(token));
    const other = await site.aUser({ role: 10 });
    await expectRefusal(site.as(other.actor).user.newAccessToken({ id }), 'permission_denied');
  });

  it('deleting an account deletes its tokens, its access token and its sessions', async () => {
    const user = await site.aUser();
    const token = await site.aToken(user);
    await api.user.newAccessToken({ id: user.id });
    await api.user.manage({ id: user.id, action: 'delete' });
    expect((await api.user.get({ id: user.id })).DeletedAt).toBe('2026-11-21T12:00:00.000Z');
    await expectRefusal(api.token.get({ id: token.id }), 'token_missing_row');
    const row = await site.ctx.db('users').where({ id: user.id }).first();
    expect(row).toMatchObject({ access_token_hash: null, session_version: 2 });
    await expectRefusal(api.user.edit({ id: user.id, display_name: 'x' }), 'user_missing');
    await expectRefusal(
      api.user.create({ username: user.username, password: 'password1' }),
      'user_name_taken',
    );
  });
});

describe('permissions to manage users', async () => {
  const site = await sharedLocalSite();

  it.each([
    // actor, action, target's role, allowed, role and status after
    [10, 'disable', 1, true, 1, 2],
    [10, 'enable', 1, true, 1, 1],
    [10, 'disable', 10, false, 10, 1],
    [10, 'promote', 1, false, 1, 1],
    [10, 'demote', 10, false, 10, 1],
    [100, 'promote', 1, true, 10, 1],
    [100, 'demote', 10, true, 1, 1],
    [100, 'disable', 100, false, 100, 1],
    [100, 'delete', 100, false, 100, 1],
    [100, 'disable', 10, true, 10, 2],
  ] as const)('role %i: %s of role %i', async (mine, action, theirs, allowed, role, status) => {
    const actor = await site.aUser({ role: mine });
    const { id } = await site.aUser({ role: theirs });
    const managing = site.as(actor.actor).user.manage({ id, action });
    if (allowed) expect(await managing).toMatchObject({ role, status });
    else await expectRefusal(managing, 'user_protected');
    expect(await userById(site.ctx.db, id)).toMatchObject({ role, status });
  });

  it.each(['disable', 'demote', 'delete'] as const)('no role may %s itself', async (action) => {
    const admin = await site.aUser({ role: 10 });
    const managing = site.as(admin.actor).user.manage({ id: admin.id, action });
    await expectRefusal(managing, 'user_protected');
  });

  it.each([
    // actor, role asked for, allowed
    [10, 1, true],
    [10, 10, false],
    [10, 100, false],
    [100, 10, true],
    [100, 100, false],
  ] as const)('role %i creates an account of role %i: %s', async (mine, role, allowed) => {
    const { user } = site.as((await site.aUser({ role: mine })).actor);
    const made = user.create({ username: `m${mine}r${role}`, password: 'password1', role });
    if (allowed) expect(await made).toMatchObject({ role });
    else await expectRefusal(made, 'permission_denied', { param: 'role' });
  });

  it('an edit never writes a role, and a higher one is refused', async () => {
    const admin = await site.aUser({ role: 10 });
    const { id } = await site.aUser();
    const { user } = site.as(admin.actor);
    expect(await user.edit({ id, role: 1, display_name: 'x' })).toMatchObject({ role: 1 });
    await expectRefusal(user.edit({ id, role: 10 }), 'permission_denied');
    const { user: ofRoot } = site.as((await site.aUser({ role: 100 })).actor);
    expect(await ofRoot.edit({ id, role: 10 })).toMatchObject({ role: 1 });
  });

  it('an account is deleted once, by a role that may delete it', async () => {
    const { user } = site.as((await site.aUser({ role: 10 })).actor);
    const { id } = await site.aUser();
    await user.remove({ id });
    expect(await userById(site.ctx.db, id)).toMatchObject({ session_version: 2 });
    await expectRefusal(user.remove({ id }), 'user_missing');
    const peer = await site.aUser({ role: 10 });
    await expectRefusal(user.remove({ id: peer.id }), 'user_protected');
  });

  it('admins cannot give themselves quota or a group', async () => {
    const admin = await site.aUser({ role: 10 });
    const { user } = site.as(admin.actor);
    const add = user.setQuota({ id: admin.id, mode: 'add', units: 5 });
    await expectRefusal(add, 'user_protected');
    const edit = user.edit({ id: admin.id, group: 'vip' });
    await expectRefusal(edit, 'user_protected');
  });

  it('admins read users and themselves, not other admins', async () => {
    const [admin, peer, user] = [
      await site.aUser({ role: 10 }),
      await site.aUser({ role: 10 }),
      await site.aUser(),
    ];
    const api = site.as(admin.actor).user;
    expect(await api.get({ id: user.id })).toMatchObject({ id: user.id });
    expect(await api.get({ id: admin.id })).toMatchObject({ id: admin.id });
    await expectRefusal(api.get({ id: peer.id }), 'user_protected');
  });
});
