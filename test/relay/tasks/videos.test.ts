/** Kling video tasks in the vendor's format, priced by model, mode and length. */
import { expect, test } from 'vitest';
import { answered, TASK_KEY } from './fake-task-upstream.ts';
import { createTaskSite } from './task-site.ts';

const SUBMIT = '/kling/v1/videos/text2video';

const taskSite = await createTaskSite();
await taskSite.site.option('ModelPrice', { 'kling-v2-6': 0.1, 'kling-v2-6-pro': 0.4 });
await taskSite.site.addChannel({
  type: 1024,
  key: `ak|${TASK_KEY}`,
  base_url: taskSite.upstream.url,
  models: 'kling-v2-6,kling-v1',
});

const spent = async () => (await taskSite.site.balance(taskSite.site.user.id)).used_quota;

async function begun(body: object = {}): Promise<string> {
  const { json } = await taskSite.post(SUBMIT, {
    model_name: 'kling-v2-6',
    prompt: 'sea',
    ...body,
  });
  return json.data.task_id;
}

test.each([
  [{}, 50_000],
  [{ duration: '10' }, 100_000],
  [{ mode: 'pro', duration: 10 }, 400_000],
])('a video submission with %o costs %d units, and is forwarded signed', async (extra, units) => {
  const { upstream } = taskSite;
  const before = await spent();
  const body = {
    model_name: 'kling-v2-6',
    prompt: 'sea',
    callback_url: 'https://x.example',
    ...extra,
  };
  const { status, json } = await taskSite.post(SUBMIT, body);
  expect([status, json]).toEqual([
    200,
    {
      code: 0,
      message: 'SUCCEED',
      data: { task_id: expect.stringMatching(/^\w{24}$/), task_status: 'submitted' },
    },
  ]);
  expect((await spent()) - before).toBe(units);
  expect(upstream.requests.at(-1)?.path).toBe('/v1/videos/text2video');
  expect(upstream.lastSubmit()).toEqual({ model_name: 'kling-v2-6', prompt: 'sea', ...extra });
});

test('a video is polled to its end, and visible to its owner only', async () => {
  const { site, upstream } = taskSite;
  const id = await begun({ external_task_id: 'mine-1' });
  const upstreamId = upstream.ids.at(-1) ?? '';
  upstream.setTask(upstreamId, { task_status: 'processing' });
  await taskSite.poll();
  const task = async () => (await taskSite.get(`${SUBMIT}/${id}`)).json.data;
  expect(await task()).toMatchObject({ task_status: 'processing' });
  const task_result = { videos: [{ id: 'v1', url: 'https://cdn.example/1.mp4', duration: '5' }] };
  upstream.setTask(upstreamId, { task_status: 'succeed', task_result });
  await taskSite.poll();
  // The videos of earlier tests are still running, so one poll covers several.
  const polled = upstream.requests.map(({ path }) => path);
  expect(polled).toContain(`/v1/videos/text2video/${upstreamId}`);
  expect(await task()).toEqual({
    ...{ task_id: id, task_status: 'succeed', task_status_msg: '', task_result },
    ...{ task_info: { external_task_id: 'mine-1' } },
    ...{ created_at: expect.any(Number), updated_at: expect.any(Number) },
  });
  const stranger = await site.addToken({ owner: await site.addUser() });
  expect((await taskSite.get(`${SUBMIT}/${id}`, stranger)).json).toMatchObject({ code: 1203 });
});

test('a failed video is refunded', async () => {
  const { upstream } = taskSite;
  const before = await spent();
  const id = await begun();
  upstream.setTask(upstream.ids.at(-1) ?? '', {
    task_status: 'failed',
    task_status_msg: 'too wild',
  });
  await taskSite.poll();
  expect((await taskSite.get(`${SUBMIT}/${id}`)).json.data).toMatchObject({
    task_status: 'failed',
    task_status_msg: 'too wild',
  });
  expect(await spent()).toBe(before);
});

test('an unsupported video request is refused in the vendor’s format, and costs nothing', async () => {
  const { upstream } = taskSite;
  const before = await spent();
  const post = async (path: string, body: object) => (await taskSite.post(path, body)).json;
  const refused = { code: expect.any(Number), message: expect.any(String), data: null };
  expect(await post(SUBMIT, { model_name: 'kling-v2-6' })).toEqual(refused);
  expect(await post('/kling/v1/videos/image2video', { prompt: 'no picture' })).toEqual(refused);
  // A model without a price is refused.
  const unpriced = await post(SUBMIT, { prompt: 'sea' });
  expect(unpriced).toMatchObject({ message: expect.stringContaining('model_price_error') });
  upstream.next(answered(429, { code: 1102, message: 'Account balance not enough' }));
  expect(await post(SUBMIT, { model_name: 'kling-v2-6', prompt: 'sea' })).toEqual({
    ...{ code: 1102, message: 'Account balance not enough', data: null },
  });
  expect(await spent()).toBe(before);
});
