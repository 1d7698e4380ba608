/** The cost that is recorded with the charge of a call. */
import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, OPERATOR } from '../../support/site.ts';
import { callAsTenant, send } from '../media/media-calls.ts';
import { createTaskSite } from '../tasks/task-site.ts';
import { addTenant, spareChannel, type Tenant } from '../tenant.ts';

/** 2 USD per million tokens. */
const PRICE = { ratio: '1', completion: '1' } as const;

const site = await sharedSite({ upstreams: 2, options: { RetryTimes: 1, LogErrorEnabled: true } });

const setCost = (id: number, cost: object | string) =>
  site.as(OPERATOR).channel.edit({ id, cost: typeof cost === 'string' ? cost : { ...cost } });

/** Charge, cost and channel of the only log entry of a charge. */
async function recorded(tenant: Tenant, requestId: string) {
  await tenant.site.settled(tenant.user.id);
  const log = await eventually('the log entry', () => tenant.site.logOf(requestId));
  return { charge: log.quota, cost: log.cost, channel: log.channel_id };
}

describe('the cost of a call', () => {
  test('is a share of the list price, whatever the group pays', async () => {
    const tenant = await addTenant(site, { price: PRICE });
    await setCost(tenant.channel.id, { factor: 0.5 });
    await site.option('GroupRatio', { default: 3, vip: 1 });
    const { charge, cost } = await recorded(tenant, (await tenant.call()).requestId);
    await site.option('GroupRatio', { default: 1, vip: 1 });
    expect(charge).toBeGreaterThan(10);
    expect(charge % 3).toBe(0);
    expect(cost).toBe(Math.round(charge / 3 / 2));
  });

  test('is recorded for a stream', async () => {
    const tenant = await addTenant(site, { price: PRICE });
    await setCost(tenant.channel.id, { factor: 1 });
    const { charge, cost } = await recorded(
      tenant,
      (await tenant.call({ stream: true })).requestId,
    );
    expect(cost).toBe(charge);
  });

  test("follows the channel's rates of the model's name at the upstream", async () => {
    const tenant = await addTenant(site, { price: PRICE, upstreamModel: 'their-name' });
    await setCost(tenant.channel.id, { factor: 9, rates: { 'their-name': { call: 0.001 } } });
    expect(await recorded(tenant, (await tenant.call()).requestId)).toMatchObject({ cost: 500 });
  });

  test('is unknown without a setting, and again after it is removed', async () => {
    const tenant = await addTenant(site, { price: PRICE });
    const cost = async () => (await recorded(tenant, (await tenant.call()).requestId)).cost;
    expect(await cost()).toBeNull();
    await setCost(tenant.channel.id, { factor: 0 });
    expect(await cost()).toBe(0);
    await setCost(tenant.channel.id, { rates: { 'another-model': { input: 1 } } });
    expect(await cost()).toBeNull();
    await setCost(tenant.channel.id, '');
    expect(await cost()).toBeNull();
  });

  test('is that of the channel that answered; a failed attempt has none', async () => {
    const tenant = await addTenant(site, { price: PRICE });
    const spare = await spareChannel(tenant);
    await setCost(tenant.channel.id, { factor: 4 });
    await setCost(spare.id, { factor: 2 });
    tenant.script('status:500');
    const { requestId } = await tenant.call();
    const { charge, ...others } = await recorded(tenant, requestId);
    expect(others).toEqual({ cost: 2 * charge, channel: spare.id });
    const failed = (await site.logsOf(requestId)).filter((row) => row.type === 6);
    expect(failed.map((row) => [row.channel_id, row.cost])).toEqual([[tenant.channel.id, null]]);
  });

  test('is recorded for calls of a group without a charge', async () => {
    const tenant = await addTenant(site, { price: PRICE });
    await setCost(tenant.channel.id, { factor: 1 });
    await site.option('GroupRatio', { default: 0 });
    const { charge, cost } = await recorded(tenant, (await tenant.call()).requestId);
    await site.option('GroupRatio', { default: 1 });
    expect(charge).toBe(0);
    expect(cost).toBeGreaterThan(10);
  });
});

describe('the cost of images', () => {
  const images = '/v1/images/generations';

  test('is a share of the price per image', async () => {
    const tenant = await callAsTenant(site, 0.04);
    await setCost(tenant.channel.id, { factor: 0.5 });
    const { requestId } = await send(tenant, images, { prompt: 'A fox', n: 3 });
    expect(await recorded(tenant, requestId)).toMatchObject({ charge: 60_000, cost: 30_000 });
  });

  test('by tokens counts them, although the price is per image', async () => {
    const tenant = await callAsTenant(site, 0.04);
    await setCost(tenant.channel.id, { rates: { [tenant.model]: { input: 0, output: 40 } } });
    const { requestId } = await send(tenant, images, { prompt: 'A fox', n: 2 });
    // 1,250 tokens of each image at 40 USD per million.
    expect(await recorded(tenant, requestId)).toMatchObject({ charge: 40_000, cost: 50_000 });
  });
});

describe('the cost of a task', async () => {
  const taskSite = await createTaskSite();

  const costOfSong = async () => {
    const { requestId } = await taskSite.post('/suno/submit/music', { prompt: 'la la' });
    const log = await taskSite.site.logOf(requestId);
    return { charge: log?.quota, cost: log?.cost };
  };

  test('is recorded when the upstream accepts it', async () => {
    expect(await costOfSong()).toEqual({ charge: 50_000, cost: null });
    const { items } = await taskSite.site.as(OPERATOR).channel.list({ model: 'suno_music' });
    for (const { id } of items)
      await taskSite.site.as(OPERATOR).channel.edit({ id, cost: { factor: 0.5 } });
    expect(await costOfSong()).toEqual({ charge: 50_000, cost: 25_000 });
    for (const { id } of items)
      await taskSite.site
        .as(OPERATOR)
        .channel.edit({ id, cost: { rates: { suno_music: { call: 0.02 } } } });
    expect(await costOfSong()).toEqual({ charge: 50_000, cost: 10_000 });
  });

  test('stays when the task fails, while the refund lowers the margin', async () => {
    const operator = taskSite.site.as(OPERATOR);
    await operator.channel.edit({ id: taskSite.channel.id, cost: { factor: 0.5 } });
    await taskSite.imagine('a lighthouse');
    const filter = { channel: String(taskSite.channel.id) };
    const costs = { cost: 25_000, costed_quota: 50_000, margin: 25_000 };
    expect(await operator.log.stat(filter)).toMatchObject({ quota: 50_000, costs });

    taskSite.upstream.setTask(taskSite.upstream.ids.at(-1) ?? '', {
      status: 'FAILURE',
      failReason: 'no',
    });
    await taskSite.poll();
    const refunded = { cost: 25_000, costed_quota: 0, margin: -25_000 };
    expect(await operator.log.stat(filter)).toMatchObject({ quota: 0, costs: refunded });
    expect(await operator.data.overview({})).toMatchObject({
      channels: expect.arrayContaining([
        expect.objectContaining({ channel: taskSite.channel.id, costs: refunded }),
      ]),
    });
  });
});
