/** Lists of image and music tasks. */
import { describe, expect, it } from 'vitest';
import { ledgerRows } from '../../src/store/ledger/ledger.ts';
import { databases } from '../support/databases.ts';
import { OPERATOR } from '../support/local-site.ts';
import { sharedLocalSite } from '../support/shared-site.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 12);
const NOON_SEC = NOON_MS / 1000;

describe.each(databases)('tasks on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const ann = await site.aUser();
  const bob = await site.aUser();
  for (let number = 0; number < 12; number += 1) {
    const user_id = number % 3 === 0 ? bob.id : ann.id;
    await site.ctx.db('midjourneys').insert({
      user_id,
      mj_id: `mj-${number}`,
      action: 'IMAGINE',
      prompt: 'a lighthouse',
      submit_time: NOON_MS + number,
      status: number === 11 ? 'SUCCESS' : 'IN_PROGRESS',
      image_url: number === 11 ? 'https://images.example/11.png' : '',
      channel_id: 1 + (number % 2),
    });
    await site.ctx.db('tasks').insert({
      user_id,
      task_id: `task-${number}`,
      platform: 'suno',
      action: number % 2 === 0 ? 'MUSIC' : 'LYRICS',
      submit_time: NOON_SEC + number,
      status: 'QUEUED',
      channel_id: 1 + (number % 2),
      properties: '{"input":"a song"}',
      data: number === 0 ? 'no JSON' : '',
    });
  }

  it('are paginated, newest first, with their total', async () => {
    const { mjTask, task } = site.as(OPERATOR);
    const first = await mjTask.list({});
    expect(first).toMatchObject({ page: 1, page_size: 10, total: 12 });
    expect(first.items.map((item) => item.mj_id).slice(0, 2)).toEqual(['mj-11', 'mj-10']);
    const second = await task.list({ p: 2 });
    expect(second.items.map((item) => item.task_id)).toEqual(['task-1', 'task-0']);
    expect((await task.list({ p: 0 })).page).toBe(1);
  });

  it('say whether the quota of a failed one was given back, as far as the ledger knows', async () => {
    const { db } = site.ctx;
    await db('tasks').where('task_id', 'task-2').update({ status: 'FAILURE', quota: 70 });
    await db('midjourneys').where('mj_id', 'mj-2').update({ status: 'FAILURE', quota: 70 });
    const { mjTask, task } = site.as(ann.actor);
    const read = async () => [
      (await task.listOwn({ task_id: 'task-2' })).items[0]?.refunded,
      (await mjTask.listOwn({ mj_id: 'mj-2' })).items[0]?.refunded,
    ];
    // As an import leaves them.
    expect(await read()).toEqual([false, false]);
    for (const table of ['tasks', 'midjourneys'] as const) {
      const id = table === 'tasks' ? { task_id: 'task-2' } : { mj_id: 'mj-2' };
      const row = await db(table).where(id).first();
      await db('ledger').insert(
        ledgerRows([
          {
            key: `refund:task:${table}-${row.id}`,
            cause: 'refund',
            userId: ann.id,
            userUnits: 70,
            createdAtSec: NOON_SEC,
          },
        ]),
      );
    }
    expect(await read()).toEqual([true, true]);
    expect(await site.as(OPERATOR).task.list({ task_id: 'task-2' })).toMatchObject({
      items: [{ refunded: true }],
    });
  });

  it('show users no words of the upstream where the operator hides them', async () => {
    const failed = { status: 'FAILURE', fail_reason: 'acme said no' };
    await site.ctx.db('tasks').where('task_id', 'task-0').update(failed);
    await site.ctx.db('midjourneys').where('mj_id', 'mj-0').update(failed);
    await site.as(OPERATOR).option.set({ key: 'global.hide_upstream_error_enabled', value: true });
    const { mjTask, task } = site.as(bob.actor);
    const songs = (await task.listOwn({ task_id: 'task-0' })).items;
    const drawings = (await mjTask.listOwn({ mj_id: 'mj-0' })).items;
    expect(JSON.stringify([songs, drawings])).not.toMatch(/acme/);
    expect(songs).toMatchObject([
      { status: 'FAILURE', fail_reason: expect.any(String), data: null },
    ]);
    const [asAdmin] = (await site.as(OPERATOR).task.list({ task_id: 'task-0' })).items;
    expect(asAdmin?.fail_reason).toBe('acme said no');
    await site.as(OPERATOR).option.unset({ key: 'global.hide_upstream_error_enabled' });
    const reset = { status: 'QUEUED', fail_reason: '' };
    await site.ctx.db('tasks').where('task_id', 'task-0').update(reset);
    await site.ctx.db('midjourneys').where('mj_id', 'mj-0').update(reset);
  });

  it('show users only their own tasks, and no channel', async () => {
    const { mjTask, task } = site.as(bob.actor);
    const drawings = await mjTask.listOwn({});
    const songs = await task.listOwn({});
    expect(drawings.items.map((item) => item.mj_id)).toEqual(['mj-9', 'mj-6', 'mj-3', 'mj-0']);
    expect(songs.total).toBe(4);
    for (const item of [...drawings.items, ...songs.items])
      expect(item).toMatchObject({ user_id: bob.id, channel_id: 0 });
  });

  it('refuse a channel filter by users', async () => {
    const query: object = { channel_id: 1 };
    expect((await site.as(ann.actor).mjTask.listOwn(query)).total).toBe(8);
    expect((await site.as(ann.actor).task.listOwn(query)).total).toBe(8);
  });

  it('are filtered by channel, id, status and action', async () => {
    const { mjTask, task } = site.as(OPERATOR);
    expect((await mjTask.list({ channel_id: 2 })).total).toBe(6);
    expect((await mjTask.list({ mj_id: 'mj-1' })).items.map((item) => item.mj_id)).toEqual([
      'mj-1',
    ]);
    expect((await mjTask.list({ status: 'SUCCESS' })).total).toBe(1);
    expect((await task.list({ channel_id: 2, action: 'LYRICS' })).total).toBe(6);
    expect((await task.list({ channel_id: 2, action: 'MUSIC' })).total).toBe(0);
    expect((await task.list({ task_id: 'task-7', platform: 'suno' })).total).toBe(1);
    expect((await task.list({ platform: 'other' })).items).toEqual([]);
  });

  it('are filtered by time: image tasks in milliseconds, the others in seconds', async () => {
    const { mjTask, task } = site.as(OPERATOR);
    const drawings = { start_timestamp: NOON_MS + 3, end_timestamp: NOON_MS + 5 };
    expect((await mjTask.list(drawings)).items.map((item) => item.mj_id)).toEqual([
      'mj-5',
      'mj-4',
      'mj-3',
    ]);
    const songs = { start_timestamp: NOON_SEC + 10, end_timestamp: NOON_SEC + 60 };
    expect((await task.list(songs)).total).toBe(2);
  });

  it('return the content of JSON columns, even if it is not JSON', async () => {
    const [item] = (await site.as(OPERATOR).task.list({ task_id: 'task-0' })).items;
    expect(item).toMatchObject({ properties: { input: 'a song' }, data: 'no JSON' });
  });
});
