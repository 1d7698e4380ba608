/** Song and lyrics tasks. */
import { describe, expect, it } from 'vitest';
import { whole } from '../raw-upstream.ts';
import { answered } from './fake-task-upstream.ts';
import { createTaskSite } from './task-site.ts';

const taskSite = await createTaskSite();

const spent = async () => (await taskSite.site.balance(taskSite.site.user.id)).used_quota;

async function song(body: object = { prompt: 'la la' }): Promise<string> {
  const { json } = await taskSite.post('/suno/submit/music', body);
  return String(json.data);
}

describe('a song submission', () => {
  it.each([
    ['music', { gpt_description_prompt: 'a song', tags: 'jazz' }, 'MUSIC', 50_000],
    ['MUSIC', { prompt: 'la la', mv: 'chirp-v4' }, 'MUSIC', 50_000],
    ['lyrics', { prompt: 'of the sea' }, 'LYRICS', 5_000],
  ])('to %s with %o costs the price of %s: %d units', async (name, body, action, units) => {
    const { site, upstream } = taskSite;
    const before = await spent();
    const { status, json, requestId } = await taskSite.post(`/suno/submit/${name}`, body);
    expect(status).toBe(200);
    expect(json).toEqual({ code: 'success', message: '', data: expect.stringMatching(/^\w{24}$/) });
    expect((await spent()) - before).toBe(units);
    expect(upstream.requests.at(-1)?.path).toBe(`/suno/submit/${action}`);
    expect(upstream.lastSubmit()).toEqual(
      action === 'MUSIC' ? { mv: 'chirp-v3-0', ...body } : body,
    );
    expect(await taskSite.song(json.data)).toMatchObject({
      ...{ platform: 'suno', action, status: 'NOT_START', progress: '0%', quota: units },
      upstream_id: upstream.ids.at(-1),
    });
    const model = `suno_${action.toLowerCase()}`;
    expect(await site.logOf(requestId)).toMatchObject({ model_name: model, quota: units });
  });

  it("that continues a clip names its task and uses that task's account", async () => {
    const { upstream } = taskSite;
    const origin = await song();
    const upstreamId = upstream.ids.at(-1);
    await song({ continue_clip_id: 'clip-1', continue_at: 30, task_id: origin });
    expect(upstream.lastSubmit()).toEqual({
      ...{ continue_clip_id: 'clip-1', continue_at: 30, mv: 'chirp-v3-0' },
      task_id: upstreamId,
    });
    const lost = await taskSite.post('/suno/submit/music', { continue_clip_id: 'clip-1' });
    expect([lost.status, lost.json.message]).toEqual([400, expect.stringContaining('task_id')]);
    const wrong = await taskSite.post('/suno/submit/music', { task_id: 'of-another-user' });
    expect(wrong).toMatchObject({ status: 400, json: { code: 'task_not_exist', data: null } });
  });

  it('of an unknown kind, or without a prompt, is refused', async () => {
    for (const path of ['/suno/submit/video', '/suno/submit/lyrics']) {
      const { status, json } = await taskSite.post(path, {});
      expect(status).toBe(400);
      expect(json).toEqual({ code: expect.any(String), message: expect.any(String), data: null });
    }
  });

  it('that the balance does not cover is refused with 402', async () => {
    const { site } = taskSite;
    const token = await site.addToken({ owner: await site.addUser({ quota: 1 }) });
    const { status, json } = await taskSite.post('/suno/submit/music', { prompt: 'x' }, token);
    expect([status, json.code]).toEqual([402, 'quota_not_enough']);
  });

  it('that the upstream refuses returns the refusal and costs nothing', async () => {
    const { site, upstream } = taskSite;
    const before = await spent();
    upstream.next(whole({ code: 'insufficient_credits', message: 'no credits left', data: null }));
    const { status, json, requestId } = await taskSite.post('/suno/submit/music', { prompt: 'x' });
    expect([status, json]).toEqual([
      400,
      { code: 'insufficient_credits', message: 'no credits left', data: null },
    ]);
    upstream.next(answered(403, { message: 'away' }));
    const away = await taskSite.post('/suno/submit/music', { prompt: 'x' });
    expect([away.status, away.json.code]).toEqual([403, 'fail_to_fetch_task']);
    expect(await spent()).toBe(before);
    const row = await site.ctx.db('tasks').where({ request_id: requestId }).first();
    expect(row).toMatchObject({ status: 'FAILURE', fail_reason: 'no credits left', quota: 0 });
  });
});

describe('a song task', () => {
  it('is polled, and visible to its owner only', async () => {
    const { site, upstream } = taskSite;
    const id = await song({ gpt_description_prompt: 'of the sea' });
    const clips = [{ id: 'clip-1', audio_url: 'https://cdn.example/1.mp3', title: 'Sea' }];
    const upstreamId = upstream.ids.at(-1) ?? '';
    upstream.setTask(upstreamId, {
      status: 'IN_PROGRESS',
      progress: '30%',
      start_time: 1_700_000_000,
    });
    await taskSite.poll();
    const begun = await taskSite.get(`/suno/fetch/${id}`);
    expect(begun.json).toMatchObject({ code: 'success', data: { progress: '30%', data: null } });
    upstream.setTask(upstreamId, { status: 'SUCCESS', data: clips, finish_time: 1_700_000_060 });
    await taskSite.poll();
    const { json } = await taskSite.get(`/suno/fetch/${id}`);
    expect(json).toEqual({
      code: 'success',
      message: '',
      data: {
        ...{ task_id: id, action: 'MUSIC', status: 'SUCCESS', fail_reason: '', progress: '100%' },
        ...{ submit_time: expect.any(Number), start_time: 1_700_000_000 },
        ...{ finish_time: 1_700_000_060, data: clips },
      },
    });
    const [item] = (await site.as(site.user.actor).task.listOwn({ task_id: id })).items;
    expect(item).toMatchObject({ properties: { input: 'of the sea' }, data: clips });
    const stranger = await site.addToken({ owner: await site.addUser() });
    expect((await taskSite.get(`/suno/fetch/${id}`, stranger)).json.code).toBe('task_not_exist');
  });

  it('is listed with others by id and action', async () => {
    const music = await song();
    const { json } = await taskSite.post('/suno/submit/lyrics', { prompt: 'x' });
    const ids = [music, json.data, 'unknown'];
    const all = await taskSite.post('/suno/fetch', { ids });
    expect(all.json.data.map((one: { task_id: string }) => one.task_id)).toEqual([
      json.data,
      music,
    ]);
    const lyrics = await taskSite.post('/suno/fetch', { ids, action: 'LYRICS' });
    expect(lyrics.json.data).toHaveLength(1);
    expect((await taskSite.post('/suno/fetch', { ids: [] })).json.data).toEqual([]);
  });
});
