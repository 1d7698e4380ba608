import { describe, expect, it } from 'vitest';
import { MAX_TOKENS_PER_USER } from '../../../src/api/accounts/token.ts';
import { insertRows } from '../../../src/store/sql/inserts.ts';
import { tokenById } from '../../../src/store/tables/tokens-table.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal, outcomesOf } from '../../support/expect-refusal.ts';
import { OPERATOR, type TestUser } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const HOUR = 3600;
const NOON = Date.UTC(2026, 10, 21, 12) / 1000;

describe.each(databases)('API tokens on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const owner = await site.aUser();
  const api = site.as(owner.actor);

  it('shows the whole key to the creator, and stores it unreadable', async () => {
    const made = await api.token.create({ name: 'ci', remain_quota: 5000 });
    expect(made.key).toMatch(/^sk-[0-9a-zA-Z]{48}$/);
    expect(made).toMatchObject({ name: 'ci', remain_quota: 5000, status: 1, expired_time: -1 });
    const listed = await api.token.get({ id: made.id });
    expect(listed.key).toBe(`${made.key.slice(0, 6)}***${made.key.slice(-3)}`);
    expect(await api.token.reveal({ id: made.id })).toEqual({ key: made.key });
    const row = await site.ctx.db('tokens').where({ id: made.id }).first();
    expect(JSON.stringify(row)).not.toContain(made.key.slice(3));
  });

  it('records the quota of a token and every change of it in the ledger', async () => {
    const { id } = await api.token.create({ name: 'booked', remain_quota: 700 });
    await api.token.edit({ id, remain_quota: 200 });
    await api.token.edit({ id, name: 'renamed' });
    const { items } = await site.as(OPERATOR).ledger.list({ token: id });
    expect(items.map((item) => [item.cause, item.token_units, item.user_units])).toEqual([
      ['token_edit', -500, 0],
      ['token_grant', 700, 0],
    ]);
    expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({ ok: true });
  });

  it('concurrent edits leave one of the requested balances, and the ledger agrees', async () => {
    const { id } = await api.token.create({ name: 'contested', remain_quota: 10 });
    const amounts = [100, 200, 300, 400, 500, 600];
    await Promise.all(amounts.map((remain_quota) => api.token.edit({ id, remain_quota })));
    expect(amounts).toContain((await api.token.get({ id })).remain_quota);
    expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({ ok: true });
  });

  it('creates a batch, with random suffixes that fit the name limit', async () => {
    const name = 'a name that has thirty letters';
    const { tokens } = await api.token.create({ name, count: 3 });
    expect(tokens[0]?.name).toBe(name);
    for (const token of tokens.slice(1))
      expect(token.name).toMatch(/^a name that has thirty -[0-9a-zA-Z]{6}$/);
    expect(new Set(tokens.map((token) => token.key)).size).toBe(3);
  });

  it('ensures one token of a name, even for concurrent requests', async () => {
    const send = () => api.token.ensure({ name: 'deploy' });
    const answers = await Promise.all([send(), send(), send(), send()]);
    expect(answers.filter((answer) => answer.created)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
    const whole = answers.filter((answer) => !answer.key.includes('*'));
    expect(whole.map((answer) => answer.created)).toEqual([true]);
  });

  it('enforces the maximum number when the last ones are created concurrently', async () => {
    const full = await site.aUser();
    const rows = Array.from({ length: MAX_TOKENS_PER_USER - 2 }, (_, index) => ({
      user_id: full.id,
      key_hash: String(index).padStart(64, '0'),
      name: 'filler',
    }));
    await insertRows(site.ctx.db, 'tokens', rows);
    const make = () => site.as(full.actor).token.create({ name: 'one more' });
    expect(await outcomesOf([make(), make(), make(), make()])).toEqual({ done: 2, token_cap: 2 });
    await expectRefusal(make(), 'token_cap', { params: { cap: MAX_TOKENS_PER_USER } });
  });

  it('finds a token by its key, or by a piece of its start or end', async () => {
    const made = await api.token.create({ name: 'searched' });
    const found = await api.token.list({ token: made.key });
    expect(found.items.map((token) => token.id)).toEqual([made.id]);
    expect((await api.token.list({ token: 'sk-nothing' })).items).toEqual([]);
    // A piece of the start or end, with or without the prefix, or the key as the list shows it.
    const { key } = made;
    for (const piece of [key.slice(0, 10), key.slice(3, 9), key.slice(-6), found.items[0]?.key])
      expect((await api.token.list({ token: piece })).items.map(({ id }) => id)).toEqual([made.id]);
    for (const short of [key.slice(-5), key.slice(10, 16)])
      expect((await api.token.list({ token: short })).items).toEqual([]);
  });

  it('deletes several and returns how many existed', async () => {
    const { tokens } = await api.token.create({ name: 'many', count: 3 });
    const ids = tokens.map((token) => token.id);
    expect(await api.token.removeMany({ ids: [...ids, ids[0] ?? 0, 999_999] })).toBe(3);
    expect((await api.token.list({ keyword: 'many' })).items).toEqual([]);
    expect(await api.token.removeMany({ ids })).toBe(0);
    await expect(api.token.removeMany({ ids: [] })).rejects.toMatchObject({ param: 'ids' });
  });

  it('shows several keys, and skips those of other users', async () => {
    const mine = await api.token.create({ name: 'shown', count: 2 });
    const stranger = await site.aUser();
    const theirs = await site.aToken(stranger);
    const ids = mine.tokens.map(({ id }) => id);
    const shown = await api.token.revealMany({ ids: [...ids, theirs.id, 999_999] });
    expect(new Map(shown.map(({ id, key }) => [id, key]))).toEqual(
      new Map(mine.tokens.map(({ id, key }) => [id, key])),
    );
    expect(await site.as(OPERATOR).token.revealMany({ ids: [theirs.id] })).toHaveLength(1);
    const bare = mine.tokens.map(({ id, key }) => [String(id), key.slice('sk-'.length)] as const);
    expect(await api.token.keys({ ids: [...ids, theirs.id] })).toEqual({
      keys: Object.fromEntries(bare),
    });
    const [first] = ids;
    expect(await api.token.key({ id: first ?? 0 })).toEqual({ key: bare[0]?.[1] });
  });

  it('logs key reads by others than the owner', async () => {
    const stranger = await site.aUser();
    const theirs = await site.aToken(stranger);
    await site.as(OPERATOR).token.reveal({ id: theirs.id });
    await site.as(stranger.actor).token.reveal({ id: theirs.id });
    const lines = await site.ctx.db('logs').where({ user_id: stranger.id }).select();
    const looks = lines.filter(({ other }) => other.includes('token_reveal'));
    expect(looks).toHaveLength(1);
    expect(looks[0]).toMatchObject({ type: 3, username: stranger.username });
    expect(JSON.parse(looks[0].other)).toMatchObject({
      token_id: theirs.id,
      admin_info: { actor: 'operator' },
    });
  });

  it('enables and disables several, except expired and exhausted ones', async () => {
    const on = await api.token.create({ name: 'switched', count: 2 });
    const empty = await api.token.create({ name: 'empty', remain_quota: 0 });
    const theirs = await site.aToken(await site.aUser());
    const ids = [...on.tokens.map(({ id }) => id), empty.id];
    expect(await api.token.setStatusMany({ ids: [...ids, theirs.id], status: 2 })).toEqual(ids);
    expect(await api.token.setStatusMany({ ids, status: 1 })).toEqual(ids.slice(0, 2));
    expect((await api.token.get({ id: empty.id })).status).toBe(2);
    const now = await site.as(OPERATOR).token.get({ id: theirs.id });
    expect(now.status).toBe(1);
  });

  it('a token is deleted once by concurrent requests', async () => {
    const { id } = await api.token.create({ name: 'contested' });
    const send = () => api.token.removeMany({ ids: [id] });
    const counts = await Promise.all([send(), send(), send(), send()]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  it('a deleted token is removed from lists and its name can be reused', async () => {
    const { id } = await api.token.create({ name: 'short-lived' });
    await api.token.remove({ id });
    await expectRefusal(api.token.get({ id }), 'token_missing_row');
    await expectRefusal(api.token.remove({ id }), 'token_missing_row');
    expect(await api.token.ensure({ name: 'short-lived' })).toMatchObject({ created: true });
  });
});

describe('the fields of an API token', async () => {
  const site = await sharedLocalSite();
  const owner = await site.aUser();
  const api = site.as(owner.actor);
  await site.aChannel({ models: 'gpt-4o, gpt-4-gizmo-*', model_prefix: '' });
  await site.aChannel({ models: 'fast-model', model_prefix: 'x/', status: 2 });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(31) }, 'name'],
    [{ expired_time: NOON }, 'expired_time'],
    [{ expired_time: -2 }, 'expired_time'],
    [{ remain_quota: -2 }, 'remain_quota'],
    [{ rate_limit_period: 0 }, 'rate_limit_period'],
    [{ allow_ips: '10.0.0.1\nexample.org' }, 'allow_ips'],
    [{ group: 'svip' }, 'group'],
    [{ group: 'nowhere' }, 'group'],
    [{ model_limits: 'gpt-4o,no-such-model' }, 'model_limits'],
    [{ count: 101 }, 'count'],
  ])('%o is refused by the name of its field', async (wrong, param) => {
    await expectRefusal(api.token.create({ name: 'ok', ...wrong }), 'input_invalid', { param });
  });

  it('lists are normalised, with prefixed and disabled models accepted', async () => {
    const made = await api.token.create({
      name: 'limited',
      model_limits_enabled: true,
      model_limits: [' gpt-4o', 'x/fast-model', 'gpt-4-gizmo-abc', 'gpt-4o'],
      allow_ips: '10.0.0.0/8, 2001:db8::1  10.0.0.0/8',
      group: 'vip',
    });
    expect(made.model_limits).toBe('gpt-4o,x/fast-model,gpt-4-gizmo-abc');
    expect(made.allow_ips).toBe('10.0.0.0/8\n2001:db8::1');
  });

  it('a whole token is accepted unchanged, even if it would be refused as new', async () => {
    const channel = await site.aChannel({ models: 'short-lived' });
    const { id } = await api.token.create({
      name: 'whole',
      model_limits: 'short-lived',
      expired_time: NOON + HOUR,
    });
    await site.as(OPERATOR).channel.remove({ id: channel.id });
    site.pass(2 * HOUR);
    const { status: _, ...whole } = await api.token.get({ id });
    expect(await api.token.edit({ ...whole, name: 'again' })).toMatchObject({
      name: 'again',
      model_limits: 'short-lived',
    });
    await expect(api.token.edit({ id, model_limits: 'gone,short-lived' })).rejects.toMatchObject({
      param: 'model_limits',
    });
    site.pass(-2 * HOUR);
  });

  it('an edit writes only the sent fields', async () => {
    const made = await api.token.create({ name: 'kept', remain_quota: 10, group: 'vip' });
    const { key: _, tokens: __, ...before } = made;
    const { key: ___, ...after } = await api.token.edit({ id: made.id, name: 'new name' });
    expect(after).toEqual({ ...before, name: 'new name' });
  });
});

describe('the status of an API token', async () => {
  const site = await sharedLocalSite();
  const owner = await site.aUser();
  const api = site.as(owner.actor);

  const inStatus = async (status: number, fields: { expired_time?: number; quota?: number }) => {
    const { id } = await api.token.create({ name: 't', remain_quota: fields.quota ?? 10 });
    await site.ctx
      .db('tokens')
      .where({ id })
      .update({ status, expired_time: fields.expired_time ?? -1 });
    return id;
  };

  it('can be switched off and on', async () => {
    const { id } = await api.token.create({ name: 'switch', remain_quota: 5 });
    expect(await api.token.setStatus({ id, status: 2 })).toMatchObject({ status: 2 });
    expect(await api.token.setStatus({ id, status: 1 })).toMatchObject({ status: 1 });
  });

  it('is written alone when nothing else is requested', async () => {
    const { id } = await api.token.create({ name: 'lone', remain_quota: 5 });
    const sent = { id, status: 2, status_only: 'true', name: 'no', remain_quota: 9 } as const;
    expect(await api.token.edit(sent)).toMatchObject({ status: 2, name: 'lone', remain_quota: 5 });
    await expect(api.token.edit({ id, status_only: true, name: 'no' })).rejects.toMatchObject({
      param: 'status',
    });
    await expect(api.token.edit({ id, status: 3 as 1 })).rejects.toMatchObject({ param: 'status' });
  });

  it('cannot be enabled while it is expired or exhausted, whatever its status', async () => {
    const expired = await inStatus(3, { expired_time: NOON - HOUR });
    const exhausted = await inStatus(4, { quota: 0 });
    const late = await inStatus(2, { expired_time: NOON });
    for (const id of [expired, exhausted, late])
      await expectRefusal(api.token.setStatus({ id, status: 1 }), 'token_cannot_enable');
  });

  it('is enabled again when an edit adds the missing time or quota', async () => {
    const expired = await inStatus(3, { expired_time: NOON - HOUR });
    expect(await api.token.edit({ id: expired, expired_time: NOON + HOUR })).toMatchObject({
      status: 1,
    });
    const exhausted = await inStatus(4, { quota: 0 });
    expect(await api.token.edit({ id: exhausted, name: 'still empty' })).toMatchObject({
      status: 4,
    });
    expect(await api.token.edit({ id: exhausted, remain_quota: 1 })).toMatchObject({ status: 1 });
    const unlimited = await inStatus(4, { quota: 0 });
    expect(await api.token.edit({ id: unlimited, unlimited_quota: true })).toMatchObject({
      status: 1,
    });
  });

  it('stays disabled when its owner disabled it, whatever quota it gets', async () => {
    const id = await inStatus(2, { quota: 0 });
    expect(await api.token.edit({ id, remain_quota: 50 })).toMatchObject({ status: 2 });
  });
});

describe('ownership of API tokens', async () => {
  let owner: TestUser;
  let stranger: TestUser;
  let admin: TestUser;
  const site = await sharedLocalSite();
  [owner, stranger, admin] = [
    await site.aUser(),
    await site.aUser(),
    await site.aUser({ role: 10 }),
  ];
  const id = (await site.aToken(owner)).id;

  it('hides tokens from other users in every call', async () => {
    const { token } = site.as(stranger.actor);
    const calls = [
      token.get({ id }),
      token.edit({ id, name: 'mine' }),
      token.edit({ id, status: 2, status_only: 'true' }),
      token.setStatus({ id, status: 2 }),
      token.remove({ id }),
      token.reveal({ id }),
    ];
    for (const outcome of await Promise.allSettled(calls))
      expect(outcome).toMatchObject({ reason: { code: 'token_missing_row' } });
    expect((await token.list({})).items).toEqual([]);
    expect((await token.search({ keyword: 'a token' })).items).toEqual([]);
    expect(await token.removeMany({ ids: [id] })).toBe(0);
    expect(await site.as(owner.actor).token.get({ id })).toMatchObject({ status: 1 });
    await expectRefusal(token.list({ user: owner.id }), 'permission_denied');
    await expectRefusal(token.create({ name: 'x', user: owner.id }), 'permission_denied');
  });

  it('lets admins manage tokens of users below them without seeing keys', async () => {
    const { token } = site.as(admin.actor);
    expect((await token.list({ user: owner.id })).items).toHaveLength(1);
    expect(await token.edit({ id, name: 'by admin' })).toMatchObject({ username: owner.username });
    await expectRefusal(token.reveal({ id }), 'permission_denied');
    const { id: made } = await token.create({ name: 'handed out', user: owner.id });
    expect(await token.removeMany({ ids: [made] })).toBe(1);
    const log = await site.as(OPERATOR).log.list({ username: owner.username, type: 3 });
    expect(log.items.slice(0, 3).map((line) => line.content)).toEqual([
      'API token handed out deleted',
      '1 API token created: handed out',
      'API token a token changed: Name',
    ]);
  });

  it('does not let admins manage tokens of other admins', async () => {
    const other = await site.aUser({ role: 10 });
    const theirs = await site.aToken(other);
    const { token } = site.as(admin.actor);
    await expectRefusal(token.edit({ id: theirs.id, name: 'x' }), 'token_missing_row');
  });

  it('lets the operator list all tokens, and requires an owner to create one', async () => {
    const { token } = site.as(OPERATOR);
    expect((await token.list({})).total).toBeGreaterThan(1);
    await expect(token.create({ name: 'x' })).rejects.toMatchObject({ param: 'user' });
    const made = await token.create({ name: 'for her', user: owner.id });
    expect((await tokenById(site.ctx.db, made.id))?.user_id).toBe(owner.id);
    await expectRefusal(token.create({ name: 'x', user: 999_999 }), 'user_missing');
  });
});
