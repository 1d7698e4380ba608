import { describe, expect, it } from 'vitest';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { type Clients, OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const TEXT = { title: 'Maintenance', content: 'Tonight at **ten**.' };

describe.each(databases)('messages on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const admin = site.as((await site.aUser({ role: 10 })).actor);
  const ann = await site.aUser({ display_name: 'Ann', group: 'vip' });
  const bob = await site.aUser();

  it('reach each receiver once; missing and closed accounts are skipped', async () => {
    const gone = await site.aUser();
    await admin.user.manage({ id: gone.id, action: 'delete' });
    const user_ids = [bob.id, ann.id, ann.id, gone.id, 999_999];
    const message = await admin.message.create({ ...TEXT, user_ids });
    expect(message).toMatchObject({
      ...TEXT,
      format: 'markdown',
      created_at: new Date(site.ctx.now()).toISOString(),
      stats: { total_recipients: 2, read_count: 0, unread_count: 2, read_rate: 0 },
    });
    const { items } = await admin.message.recipients({ id: message.id });
    expect(items).toEqual([
      { user_id: ann.id, username: ann.username, display_name: 'Ann', read_at: null },
      { user_id: bob.id, username: bob.username, display_name: '', read_at: null },
    ]);
  });

  it('reach all open accounts, or all members of a group, in several batches', async () => {
    const rows = Array.from({ length: 1_203 }, (_, index) => ({
      username: `many${index}`,
      password: '',
      group: index % 2 === 0 ? 'svip' : 'default',
      aff_code: `many${index}`,
      setting: '',
    }));
    await site.ctx.db.batchInsert('users', rows, 50);
    const svip = await admin.message.create({ ...TEXT, group: 'svip' });
    expect(svip.stats.total_recipients).toBe(602);
    const all = await admin.message.create({ ...TEXT, to_all: true });
    const open = await site.ctx.db('users').whereNull('deleted_at').count({ n: '*' }).first();
    expect(all.stats.total_recipients).toBe(Number(open?.n));
    const ids = (await site.ctx.db('users').select('id')).map((row) => Number(row.id));
    const picked = await admin.message.create({ ...TEXT, user_ids: ids });
    expect(picked.stats.total_recipients).toBe(Number(open?.n));
    for (const { id } of [svip, all, picked]) await admin.message.remove({ id });
  });

  it('keep the time of the first reading, and count unread ones', async () => {
    const carl = await site.aUser();
    const inbox = site.as(carl.actor).message;
    const first = await admin.message.create({ ...TEXT, user_ids: [carl.id] });
    const second = await admin.message.create({ ...TEXT, title: 'Two', user_ids: [carl.id] });
    expect(await inbox.unreadCount({})).toEqual({ unread_count: 2 });
    const readAt = new Date(site.ctx.now()).toISOString();
    await inbox.markRead({ id: first.id });
    site.pass(90);
    await Promise.all([inbox.markRead({ id: first.id }), inbox.markRead({ id: first.id })]);
    expect(await inbox.unreadCount({})).toEqual({ unread_count: 1 });
    expect((await inbox.inbox({})).items).toMatchObject([
      { id: second.id, is_read: false, read_at: null },
      { id: first.id, is_read: true, read_at: readAt },
    ]);
    expect(await inbox.inbox({ unread: 'true' })).toMatchObject({
      total: 1,
      items: [{ id: second.id }],
    });
    expect((await admin.message.get({ id: first.id })).stats).toEqual({
      total_recipients: 1,
      read_count: 1,
      unread_count: 0,
      read_rate: 100,
    });
  });

  it('are readable by their receivers only', async () => {
    const message = await admin.message.create({ ...TEXT, user_ids: [ann.id] });
    const others = site.as(bob.actor).message;
    for (const call of [others.read, others.markRead])
      await expectRefusal(call({ id: message.id }), 'message_missing');
    const seen = (await others.inbox({ page_size: 100 })).items.map((item) => item.id);
    expect(seen).not.toContain(message.id);
    expect(await site.as(ann.actor).message.read({ id: message.id })).toMatchObject(TEXT);
    expect((await admin.message.get({ id: message.id })).stats.read_count).toBe(0);
  });

  it('can be edited, and leave every inbox when they are deleted', async () => {
    const message = await admin.message.create({ ...TEXT, user_ids: [ann.id, bob.id] });
    site.pass(60);
    const edited = await admin.message.edit({
      id: message.id,
      title: ' New ',
      content: '<b>!</b>',
    });
    expect(edited).toMatchObject({ title: 'New', content: '<b>!</b>', format: 'markdown' });
    expect(Date.parse(edited.updated_at) - Date.parse(edited.created_at)).toBe(60_000);
    const html = { id: message.id, ...TEXT, format: 'html' } as const;
    expect(await admin.message.edit(html)).toMatchObject({ format: 'html' });
    await admin.message.remove({ id: message.id });
    expect(await site.ctx.db('user_messages').where({ message_id: message.id })).toEqual([]);
    const { get, recipients, edit, remove } = admin.message;
    for (const call of [get, recipients, edit, remove, site.as(ann.actor).message.read])
      await expectRefusal(call({ id: message.id, ...TEXT }), 'message_missing');
  });

  it('are found by a literal part of title or content, and by date', async () => {
    site.pass(10 * 86_400);
    const day = new Date(site.ctx.now()).toISOString().slice(0, 10);
    const found = async (filter: Parameters<Clients['message']['search']>[0]) =>
      (await admin.message.search(filter)).items.map((item) => item.title);
    const user_ids = [ann.id];
    await admin.message.create({ title: '100% off', content: 'x', user_ids });
    site.pass(1);
    await admin.message.create({ title: 'Other', content: 'a_b', user_ids });
    expect(await found({ keyword: '0% O' })).toEqual(['100% off']);
    expect(await found({ keyword: 'A_B' })).toEqual(['Other']);
    expect(await found({ keyword: '%' })).toEqual(['100% off']);
    expect(await found({ start_date: day, end_date: day })).toEqual(['Other', '100% off']);
    expect(await found({ start_date: new Date(site.ctx.now()).toISOString() })).toEqual(['Other']);
    const dayBefore = new Date(site.ctx.now() - 86_400_000).toISOString().slice(0, 10);
    expect(await found({ start_date: dayBefore, end_date: dayBefore })).toEqual([]);
  });

  it('still count a receiver whose account was removed from the database', async () => {
    const message = await admin.message.create({ ...TEXT, user_ids: [ann.id] });
    await site.ctx
      .db('user_messages')
      .insert({ user_id: 888_888, message_id: message.id, created_at: 0 });
    const { items, total } = await admin.message.recipients({ id: message.id, page_size: 1, p: 2 });
    expect(total).toBe(2);
    expect(items).toEqual([{ user_id: 888_888, username: '', display_name: '', read_at: null }]);
    await site.ctx.db('user_messages').where({ message_id: message.id }).delete();
    expect((await admin.message.get({ id: message.id })).stats).toMatchObject({
      total_recipients: 0,
      read_rate: 0,
    });
  });
});

describe('a refused message', async () => {
  const site = await sharedLocalSite();
  const api = site.as(OPERATOR);
  const user = await site.aUser();

  it.each([
    [{ title: '  ' }, 'title'],
    [{ title: 'x'.repeat(201) }, 'title'],
    [{ content: '\n' }, 'content'],
    [{ content: 'x'.repeat(100_001) }, 'content'],
    [{ format: 'pdf' }, 'format'],
    [{ user_ids: [] }, 'user_ids'],
    [{ user_ids: [999_999] }, 'user_ids'],
    [{ user_ids: [1], to_all: true }, 'user_ids'],
    [{ user_ids: [], group: 'nobody' }, 'group'],
    [{ user_ids: [], group: 'vip' }, 'user_ids'],
  ])('has %j, and nothing is written', async (wrong, param) => {
    const given = { ...TEXT, user_ids: [user.id], ...wrong } as Parameters<
      Clients['message']['create']
    >[0]; // wrong on purpose
    await expect(api.message.create(given)).rejects.toMatchObject({ param });
    expect(await site.ctx.db('messages')).toEqual([]);
    expect(await site.ctx.db('user_messages')).toEqual([]);
  });

  it('is one to the terminal operator, who has no inbox', async () => {
    await expectRefusal(api.message.inbox({}), 'permission_denied');
  });
});
