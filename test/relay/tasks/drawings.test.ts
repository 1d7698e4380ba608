/** Image tasks, from the submission to the image. */
import { beforeAll, describe, expect, it } from 'vitest';
import { whole } from '../raw-upstream.ts';
import { PNG, TASK_KEY } from './fake-task-upstream.ts';
import { createTaskSite, IMAGINE_UNITS } from './task-site.ts';

const taskSite = await createTaskSite();

const spentBy = async (userId: number) => (await taskSite.site.balance(userId)).used_quota;

const isSubmit = ({ path }: { readonly path: string }) => path.includes('/submit/');

/** A successful image task of the site's user, ready for a follow-up. */
async function finished(): Promise<string> {
  const id = await taskSite.imagine();
  const upstreamId = taskSite.upstream.ids.at(-1) ?? '';
  taskSite.upstream.setTask(upstreamId, { status: 'SUCCESS', progress: '100%' });
  await taskSite.poll();
  return id;
}

describe('an image task submission', () => {
  it('is forwarded, charged once and stored under an id of the gateway', async () => {
    const { site, upstream, channel } = taskSite;
    const user = await site.addUser();
    const token = await site.addToken({ owner: user, remain_quota: 200_000 });
    const answer = await taskSite.post(
      '/mj/submit/imagine',
      { prompt: 'a lighthouse', state: 'mine', botType: 'NIJI_JOURNEY' },
      token,
    );
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ code: 1, description: 'Submit success', properties: {} });
    const id = answer.json.result;
    expect(id).toMatch(/^\w{24}$/);
    expect(upstream.requests.at(-1)).toMatchObject({
      path: '/mj/submit/imagine',
      json: { prompt: 'a lighthouse', state: 'mine', botType: 'NIJI_JOURNEY' },
    });
    expect(await taskSite.drawing(id)).toMatchObject({
      ...{ code: 1, action: 'IMAGINE', status: 'SUBMITTED', progress: '0%' },
      ...{ prompt: 'a lighthouse', state: 'mine', upstream_id: upstream.ids.at(-1) },
      ...{ user_id: user.id, token_id: token.id, channel_id: channel.id, quota: IMAGINE_UNITS },
    });
    expect(await site.balance(user.id)).toMatchObject({ used_quota: IMAGINE_UNITS, held: 0 });
    expect(await site.tokenBalance(token.id)).toMatchObject({ remain_quota: 150_000 });
    expect(await site.chargesOf(user.id)).toHaveLength(1);
    const log = await site.logOf(answer.requestId);
    expect(log).toMatchObject({ model_name: 'mj_imagine', quota: IMAGINE_UNITS, type: 2 });
    expect(JSON.parse(log?.other ?? '')).toMatchObject({ model_price: 0.1, task_id: id });
    expect((await site.verify()).ok).toBe(true);
  });

  it('is visible to its owner while it runs and afterwards', async () => {
    const { site, upstream } = taskSite;
    const id = await taskSite.imagine('a harbour');
    expect((await taskSite.get(`/mj/task/${id}/fetch`)).json).toEqual({
      ...{ id, action: 'IMAGINE', customId: '', botType: '', prompt: 'a harbour', promptEn: '' },
      ...{ description: '', state: '', submitTime: expect.any(Number), startTime: 0 },
      ...{ finishTime: 0, imageUrl: '', status: 'SUBMITTED', progress: '0%', failReason: '' },
      ...{ buttons: [], maskBase64: '', properties: {} },
    });
    const buttons = [{ customId: 'MJ::JOB::upsample::1::x', label: 'U1' }];
    upstream.setTask(upstream.ids.at(-1) ?? '', {
      ...{ status: 'IN_PROGRESS', progress: '45%', startTime: 1_700_000_000_000 },
      ...{ imageUrl: `${upstream.url}/image.png`, promptEn: 'a harbour, en', buttons },
    });
    await taskSite.poll();
    const { json } = await taskSite.get(`/mj/task/${id}/fetch`);
    expect(json).toMatchObject({
      status: 'IN_PROGRESS',
      progress: '45%',
      promptEn: 'a harbour, en',
    });
    expect(json).toMatchObject({ startTime: 1_700_000_000_000, buttons });
    expect(json.imageUrl).toMatch(new RegExp(`^${site.url}/mj/image/${id}\\?rand=\\d+$`));
  });

  it.each(['/mj-fast/mj', '/mj-relax/mj', '/mj-turbo/mj'])(
    'may name a mode in its path (%s), which is not sent upstream',
    async (prefix) => {
      const { json } = await taskSite.post(`${prefix}/submit/imagine`, { prompt: 'a lighthouse' });
      expect(json.code).toBe(1);
      expect(taskSite.upstream.paths().at(-1)).toBe('/mj/submit/imagine');
    },
  );
});

/** Path, body (with `$task` for a successful image task), action, price name and price in USD. */
const ACTIONS: readonly (readonly [string, object, string, string, number])[] = [
  ['imagine', { prompt: 'x' }, 'IMAGINE', 'mj_imagine', 0.1],
  ['describe', { base64: 'data:image/png;base64,AA' }, 'DESCRIBE', 'mj_describe', 0.05],
  ['shorten', { prompt: 'x' }, 'SHORTEN', 'mj_shorten', 0.1],
  ['blend', { base64Array: ['a', 'b'] }, 'BLEND', 'mj_blend', 0.1],
  ['upload-discord-images', { base64Array: ['a'] }, 'UPLOAD', 'mj_upload', 0.05],
  ['change', { taskId: '$task', action: 'UPSCALE', index: 2 }, 'UPSCALE', 'mj_upscale', 0.05],
  ['change', { taskId: '$task', action: 'VARIATION', index: 4 }, 'VARIATION', 'mj_variation', 0.1],
  ['change', { taskId: '$task', action: 'REROLL' }, 'REROLL', 'mj_reroll', 0.1],
  ['simple-change', { content: '$task U2' }, 'UPSCALE', 'mj_upscale', 0.05],
  ['simple-change', { content: '$task v4' }, 'VARIATION', 'mj_variation', 0.1],
  ['simple-change', { content: '$task R' }, 'REROLL', 'mj_reroll', 0.1],
  ...(
    [
      ['MJ::JOB::upsample::2::3dbb', 'UPSCALE', 'mj_upscale', 0.05],
      ['MJ::JOB::upsample_v6_2x_subtle::1::3dbb::SOLO', 'UPSCALE', 'mj_upscale', 0.05],
      ['MJ::JOB::variation::1::3dbb', 'VARIATION', 'mj_variation', 0.1],
      ['MJ::JOB::low_variation::1::3dbb::SOLO', 'LOW_VARIATION', 'mj_low_variation', 0.1],
      ['MJ::JOB::high_variation::1::3dbb::SOLO', 'HIGH_VARIATION', 'mj_high_variation', 0.1],
      ['MJ::JOB::pan_left::1::3dbb::SOLO', 'PAN', 'mj_pan', 0.1],
      ['MJ::JOB::reroll::0::3dbb::SOLO', 'REROLL', 'mj_reroll', 0.1],
      ['MJ::Outpaint::50::1::3dbb::SOLO', 'ZOOM', 'mj_zoom', 0.1],
      ['MJ::CustomZoom::3dbb', 'CUSTOM_ZOOM', 'mj_custom_zoom', 0],
      ['MJ::Inpaint::1::3dbb::SOLO', 'INPAINT', 'mj_inpaint', 0],
    ] as const
  ).map(([customId, ...rest]) => ['action', { taskId: '$task', customId }, ...rest] as const),
  ['modal', { taskId: '$task', prompt: 'x' }, 'MODAL', 'mj_modal', 0.1],
  ['/insight-face/swap', { sourceBase64: 'a', targetBase64: 'b' }, 'SWAP_FACE', 'swap_face', 0.05],
];

describe('prices of image task actions', () => {
  let origin = '';
  beforeAll(async () => {
    origin = await finished();
  });

  it.each(ACTIONS)('%s %o: %s costs the price of %s, %d USD', async (path, body, ...expected) => {
    const [action, model, usd] = expected;
    const { site } = taskSite;
    const changed = JSON.parse(JSON.stringify(body).replace('$task', origin));
    const before = await spentBy(site.user.id);
    const url = path.startsWith('/') ? `/mj${path}` : `/mj/submit/${path}`;
    const { status, json, requestId } = await taskSite.post(url, changed);
    expect({ status, code: json.code }).toEqual({ status: 200, code: 1 });
    expect((await spentBy(site.user.id)) - before).toBe(usd * 500_000);
    expect(await site.logOf(requestId)).toMatchObject({ model_name: model, quota: usd * 500_000 });
    const row = await site.ctx.db('midjourneys').where({ request_id: requestId }).first();
    expect(row).toMatchObject({ action, quota: usd * 500_000 });
  });

  it("are multiplied by the group's ratio, rounded half up", async () => {
    const { site } = taskSite;
    await site.option('GroupRatio', { default: 1, vip: 1.5, tiny: 0.00001 });
    for (const [group, units] of [
      ['vip', 75_000],
      ['tiny', 1],
    ] as const) {
      const user = await site.addUser({ group });
      const token = await site.addToken({ owner: user });
      await site
        .as({ kind: 'operator' })
        .channel.edit({ id: taskSite.channel.id, group: `default,${group}` });
      await taskSite.imagine('x', token);
      expect(await spentBy(user.id)).toBe(units);
    }
  });

  it("come from the operator's settings, with defaults for actions without a price per call", async () => {
    const { site } = taskSite;
    await site.option('ModelPrice', { mj_blend: 0.3 });
    await site.option('ModelRatio', { mj_shorten: 15 });
    const before = await spentBy(site.user.id);
    await taskSite.post('/mj/submit/blend', { base64Array: ['a', 'b'] });
    expect((await spentBy(site.user.id)) - before).toBe(150_000);
    await taskSite.post('/mj/submit/shorten', { prompt: 'x' });
    expect((await spentBy(site.user.id)) - before).toBe(200_000);
    await site.option('ModelPrice', {});
    await site.option('ModelRatio', {});
  });
});

describe('a follow-up of an image task', () => {
  it("uses the channel and key of its task, with the upstream's task id", async () => {
    const { site, upstream } = taskSite;
    const origin = await finished();
    const upstreamId = upstream.ids.at(-1);
    const [row] = await site.ctx.db('midjourneys').where({ mj_id: origin });
    await taskSite.post('/mj/submit/change', { taskId: origin, action: 'UPSCALE', index: 1 });
    expect(upstream.lastSubmit()).toEqual({ taskId: upstreamId, action: 'UPSCALE', index: 1 });
    await taskSite.post('/mj/submit/simple-change', { content: `${origin} V3` });
    expect(upstream.lastSubmit()).toEqual({ content: `${upstreamId} V3` });
    const next = await site.ctx.db('midjourneys').orderBy('id', 'desc').first();
    expect(next).toMatchObject({ channel_id: row.channel_id, key_id: row.key_id });
  });

  it('is separated by key: each key is polled and continued on its own', async () => {
    const { site, upstream } = taskSite;
    // A pasted address may include the beginning of the path.
    const channel = await taskSite.addDrawingChannel(upstream, {
      ...{ base_url: `${upstream.url}/mj`, priority: 9 },
      key: `${TASK_KEY}-a,${TASK_KEY}-b`,
    });
    const keyOf = (request = upstream.requests.at(-1)) => request?.headers['mj-api-secret'];
    const drawings = [];
    for (let count = 0; count < 2; count += 1)
      drawings.push({ id: await finished(), key: upstream.requests.findLast(isSubmit) });
    const keys = drawings.map(({ key }) => keyOf(key));
    expect([...keys].sort()).toEqual([`${TASK_KEY}-a`, `${TASK_KEY}-b`]);
    for (const [at, { id }] of drawings.entries()) {
      await taskSite.post('/mj/submit/change', { taskId: id, action: 'REROLL' });
      expect(keyOf()).toBe(keys[at]);
    }
    const before = upstream.requests.length;
    await taskSite.poll();
    const polls = upstream.requests.slice(before).filter(({ path }) => path.includes('/task/'));
    expect(polls.map(keyOf)).toEqual(expect.arrayContaining(keys));
    await site.as({ kind: 'operator' }).channel.remove({ id: channel.id });
  });

  it('waits for success unless the site disables that; a modal never waits', async () => {
    const { site } = taskSite;
    const id = await taskSite.imagine();
    const change = { taskId: id, action: 'UPSCALE', index: 1 };
    const early = await taskSite.post('/mj/submit/change', change);
    expect(early).toMatchObject({ status: 400, json: { code: 4, error: 'task_not_finished' } });
    expect((await taskSite.post('/mj/submit/modal', { taskId: id })).json.code).toBe(1);
    await site.option('MjActionCheckSuccessEnabled', false);
    expect((await taskSite.post('/mj/submit/change', change)).json.code).toBe(1);
    await site.option('MjActionCheckSuccessEnabled', true);
  });

  it('is refused for a missing task or one of another user', async () => {
    const { site } = taskSite;
    const origin = await finished();
    const stranger = await site.addToken({ owner: await site.addUser() });
    const change = { taskId: origin, action: 'REROLL' };
    const foreign = await taskSite.post('/mj/submit/change', change, stranger);
    expect(foreign).toMatchObject({ status: 400, json: { error: 'task_not_exist' } });
    expect((await taskSite.get(`/mj/task/${origin}/fetch`, stranger)).status).toBe(400);
    expect((await taskSite.get(`/mj/task/${origin}/image-seed`, stranger)).status).toBe(400);
    const list = { ids: [origin] };
    expect((await taskSite.post('/mj/task/list-by-condition', list, stranger)).json).toEqual([]);
    expect((await taskSite.post('/mj/task/list-by-condition', list)).json).toHaveLength(1);
  });

  it('is refused while the channel is disabled, without trying another', async () => {
    const { site, addDrawingChannel, upstream, channel } = taskSite;
    const origin = await finished();
    const operator = site.as({ kind: 'operator' });
    const other = await addDrawingChannel(upstream);
    await operator.channel.setStatus({ id: channel.id, status: 2 });
    const before = upstream.paths().length;
    const answer = await taskSite.post('/mj/submit/change', { taskId: origin, action: 'REROLL' });
    expect(answer.status).toBe(403);
    expect(upstream.paths()).toHaveLength(before);
    await operator.channel.setStatus({ id: channel.id, status: 1 });
    await operator.channel.remove({ id: other.id });
  });
});

describe("an upstream's reply to an image task", () => {
  it('with code 22, queued, is returned as 1, stored as it is and charged', async () => {
    const { upstream } = taskSite;
    upstream.next(
      whole({ code: 22, description: 'one before you', result: 'q-1', properties: {} }),
    );
    const { json } = await taskSite.post('/mj/submit/imagine', { prompt: 'x' });
    expect(json).toMatchObject({ code: 1, description: 'one before you' });
    expect(await taskSite.drawing(json.result)).toMatchObject({ code: 22, quota: IMAGINE_UNITS });
  });

  it('with code 21, already generated, is returned as 1 and finished immediately', async () => {
    const { site, upstream } = taskSite;
    const imageUrl = `${upstream.url}/image.png`;
    const properties = { status: 'SUCCESS', imageUrl };
    upstream.next(whole({ code: 21, description: 'exists', result: 'e-1', properties }));
    const { json } = await taskSite.post('/mj/submit/imagine', { prompt: 'x' });
    const shown = `${site.url}/mj/image/${json.result}`;
    expect(json).toMatchObject({ code: 1, properties: { status: 'SUCCESS', imageUrl: shown } });
    expect(await taskSite.drawing(json.result)).toMatchObject({
      ...{ code: 21, status: 'SUCCESS', progress: '100%', image_url: imageUrl },
    });
  });

  it('with any other code is returned unchanged, stored as a failure and costs nothing', async () => {
    const { site, upstream } = taskSite;
    const text = { code: 24, description: 'a banned word', properties: { bannedWord: 'x' } };
    upstream.next(whole(text));
    const before = await site.balance(site.user.id);
    const { status, json, requestId } = await taskSite.post('/mj/submit/imagine', { prompt: 'x' });
    expect({ status, json }).toEqual({ status: 200, json: text });
    expect(await site.balance(site.user.id)).toEqual(before);
    const row = await site.ctx.db('midjourneys').where({ request_id: requestId }).first();
    expect(row).toMatchObject({
      ...{ code: 24, status: 'FAILURE', progress: '0%', fail_reason: 'a banned word', quota: 0 },
    });
  });

  it('to a face swap counts as accepted only with code 1', async () => {
    const { site, upstream } = taskSite;
    upstream.next(whole({ code: 22, description: 'queued', result: 's-1' }));
    const before = await spentBy(site.user.id);
    const body = { sourceBase64: 'a', targetBase64: 'b' };
    expect((await taskSite.post('/mj/insight-face/swap', body)).json.code).toBe(22);
    expect(await spentBy(site.user.id)).toBe(before);
  });

  it('to a seed request is forwarded', async () => {
    const id = await finished();
    const upstreamId = taskSite.upstream.ids.at(-1);
    const { json } = await taskSite.get(`/mj/task/${id}/image-seed`);
    expect(json).toEqual({ code: 1, description: 'success', result: '4242' });
    expect(taskSite.upstream.paths().at(-1)).toBe(`/mj/task/${upstreamId}/image-seed`);
  });

  it('to a describe request is stored as its prompt', async () => {
    const { upstream } = taskSite;
    const { json } = await taskSite.post('/mj/submit/describe', { base64: 'data:,' });
    upstream.setTask(upstream.ids.at(-1) ?? '', { status: 'SUCCESS', prompt: '1 a cat 2 a dog' });
    await taskSite.poll();
    expect(await taskSite.drawing(json.result)).toMatchObject({ prompt: '1 a cat 2 a dog' });
  });
});

describe('image task options', () => {
  it('keep callbacks, accounts and modes from the upstream', async () => {
    const { site, upstream } = taskSite;
    const body = {
      prompt: 'x --fast --ar 1:1 --turbo',
      notifyHook: 'https://client.example/hook',
      accountFilter: { instanceId: '1' },
    };
    await taskSite.post('/mj/submit/imagine', body);
    expect(upstream.lastSubmit()).toEqual({ prompt: 'x --fast --ar 1:1 --turbo' });
    await site.option('MjAccountFilterEnabled', true);
    await site.option('MjModeClearEnabled', true);
    await site.option('MjNotifyEnabled', true);
    await taskSite.post('/mj/submit/imagine', body);
    expect(upstream.lastSubmit()).toEqual({
      prompt: 'x --ar 1:1',
      accountFilter: { instanceId: '1' },
      notifyHook: expect.stringContaining(`${site.url}/mj/notify/${taskSite.channel.id}-`),
    });
    const wrong = await taskSite.post('/mj/submit/imagine', { prompt: 'x', notifyHook: 'ftp://x' });
    expect(wrong).toMatchObject({ status: 400, json: { code: 4, error: 'invalid_value' } });
    for (const key of ['MjAccountFilterEnabled', 'MjModeClearEnabled', 'MjNotifyEnabled'])
      await site.option(key, false);
  });
});

describe('a generated image', () => {
  const drawn = async (imageUrl: string) => {
    const id = await taskSite.imagine();
    taskSite.upstream.setTask(taskSite.upstream.ids.at(-1) ?? '', { status: 'SUCCESS', imageUrl });
    await taskSite.poll();
    return id;
  };

  it('is served by the gateway to anyone with its address', async () => {
    const { site, upstream } = taskSite;
    const id = await drawn(`${upstream.url}/image.png`);
    const { json } = await taskSite.get(`/mj/task/${id}/fetch`);
    expect(json.imageUrl).toBe(`${site.url}/mj/image/${id}`);
    const list = await site.as(site.user.actor).mjTask.listOwn({ mj_id: id });
    expect(list.items[0]?.image_url).toBe(json.imageUrl);
    const image = await site.call({ path: `/mj/image/${id}`, key: '' });
    expect(image.status).toBe(200);
    expect(image.bytes.equals(PNG)).toBe(true);
    expect(image.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': expect.stringContaining('immutable'),
    });
  });

  it('has its original address if forwarding is off', async () => {
    const { site, upstream } = taskSite;
    const id = await drawn(`${upstream.url}/image.png`);
    await site.option('MjForwardUrlEnabled', false);
    const { json } = await taskSite.get(`/mj/task/${id}/fetch`);
    const { items } = await site.as(site.user.actor).mjTask.listOwn({ mj_id: id });
    expect([json.imageUrl, items[0]?.image_url]).toEqual(
      Array(2).fill(`${upstream.url}/image.png`),
    );
    await site.option('MjForwardUrlEnabled', true);
  });

  it('has no address before it exists', async () => {
    const { site } = taskSite;
    const id = await taskSite.imagine();
    const { items } = await site.as(site.user.actor).mjTask.listOwn({ mj_id: id });
    expect(items[0]?.image_url).toBe('');
    expect((await site.call({ path: `/mj/image/${id}`, key: '' })).status).toBe(404);
    expect((await site.call({ path: '/mj/image/unknown', key: '' })).status).toBe(404);
  });

  it('is fetched from no other private host, and non-image content is refused', async () => {
    const { site, upstream } = taskSite;
    const inside = await drawn(`${site.upstream.url}/image.png`);
    expect((await site.call({ path: `/mj/image/${inside}`, key: '' })).status).toBe(400);
    expect(site.upstream.requests).toEqual([]);
    const page = await drawn(`${upstream.url}/page.png`);
    expect((await site.call({ path: `/mj/image/${page}`, key: '' })).status).toBe(502);
  });
});
