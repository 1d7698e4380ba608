/** Channel choice: tiers, weights, groups, prefixes, mapped names. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ChannelChooser, type ChooserResult } from '../../../src/relay/routing/choose-channel.ts';
import { CircuitBreakers } from '../../../src/relay/routing/circuit-breaker.ts';
import { createRouting } from '../../../src/services/cache/routing-cache.ts';
import { seededRandom } from '../../support/random.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR, type SiteAnswer, type SiteChannel, type SiteToken } from '../../support/site.ts';
import { bodyIn, CHAT, chunksIn, STREAM } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';
import { importedChannel } from './imported.ts';

const site = await sharedSite();
const { reads, secrets, changes, log } = site.ctx;
const routing = createRouting(reads, secrets, changes, log);
await routing.load();

let made = 0;

/** A separate model with one channel per row, so that no other test's channel is chosen. */
async function channelsOf(
  rows: readonly { readonly priority?: number; readonly weight?: number; readonly key?: string }[],
): Promise<{ model: string; channels: SiteChannel[] }> {
  made += 1;
  const model = `routed-${made}`;
  const channels: SiteChannel[] = [];
  for (const row of rows) channels.push(await site.addChannel({ models: model, ...row }));
  return { model, channels };
}

describe('the channel choice', () => {
  const breakers = new CircuitBreakers(Date.now);
  const chooser = new ChannelChooser(breakers, seededRandom(7));

  function draw(model: string, attempt = 0, tried: readonly number[] = []): ChooserResult {
    const candidates = routing.candidates('default', model);
    return chooser.choose({ candidates, model, attempt, tried: new Set(tried) });
  }

  function drawnId(...given: Parameters<typeof draw>): number {
    const chosen = draw(...given);
    return chosen !== undefined && 'channel' in chosen ? chosen.channel.id : 0;
  }

  function shares(model: string, draws: number): Map<number, number> {
    const counts = new Map<number, number>();
    for (let at = 0; at < draws; at += 1) {
      const id = drawnId(model);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return new Map([...counts].map(([id, count]) => [id, count / draws]));
  }

  test('distributes the calls of a tier by weight + 10', async () => {
    const { model, channels } = await channelsOf([{ weight: 0 }, { weight: 10 }, { weight: 70 }]);
    const found = shares(model, 50_000);
    const expected = [10 / 110, 20 / 110, 80 / 110];
    for (const [at, channel] of channels.entries())
      expect(found.get(channel.id)).toBeCloseTo(expected[at] ?? 0, 2);
  });

  test('is uniform if no channel has a weight', async () => {
    const { model, channels } = await channelsOf([{}, {}, {}, {}]);
    const found = shares(model, 50_000);
    for (const { id } of channels) expect(found.get(id)).toBeCloseTo(0.25, 2);
  });

  test('uses only the highest priority, whatever the weights', async () => {
    const { model, channels } = await channelsOf([
      { priority: 5, weight: 1_000 },
      { priority: 7 },
      { priority: -3, weight: 1_000_000 },
    ]);
    expect(shares(model, 500)).toEqual(new Map([[channels[1]?.id, 1]]));
  });

  test('starts at the n-th tier in the n-th attempt, and stays at the last one', async () => {
    const { model, channels } = await channelsOf([
      { priority: 30 },
      { priority: 20 },
      { priority: 10 },
    ]);
    const ids = channels.map((channel) => channel.id);
    expect([0, 1, 2, 3, 9].map((attempt) => drawnId(model, attempt))).toEqual([
      ids[0],
      ids[1],
      ids[2],
      ids[2],
      ids[2],
    ]);
  });

  test('never repeats a channel within a call', async () => {
    const { model, channels } = await channelsOf([{ weight: 1_000 }, {}, {}]);
    const [first = 0, second = 0, third = 0] = channels.map((channel) => channel.id);
    for (let time = 0; time < 200; time += 1)
      expect([second, third]).toContain(drawnId(model, 1, [first]));
    expect(drawnId(model, 1, [first, third])).toBe(second);
    expect(draw(model, 1, [first, second, third])).toBeUndefined();
  });

  test('falls to the next lower tier with an untried channel, else back to a higher one', async () => {
    const { model, channels } = await channelsOf([
      { priority: 30 },
      { priority: 20 },
      { priority: 10 },
    ]);
    const [high = 0, middle = 0, low = 0] = channels.map((channel) => channel.id);
    expect(drawnId(model, 0, [high])).toBe(middle);
    expect(drawnId(model, 1, [high, middle])).toBe(low);
    expect(drawnId(model, 2, [low])).toBe(high);
  });

  test('rotates the keys of a channel in order', async () => {
    const { model } = await channelsOf([{ key: 'key-a\nkey-b\nkey-c' }]);
    const keys = Array.from({ length: 7 }, () => {
      const chosen = draw(model);
      return chosen !== undefined && 'key' in chosen ? chosen.key.key : '';
    });
    expect(keys.join()).toBe('key-a,key-b,key-c,key-a,key-b,key-c,key-a');
  });

  test('probes channels with open breakers only when no other is left', async () => {
    const { model, channels } = await channelsOf([{}, {}]);
    const [one = 0, other = 0] = channels.map((channel) => channel.id);
    let nowMs = 1_000_000;
    const own = new CircuitBreakers(() => nowMs);
    const candidates = routing.candidates('default', model);
    const draw = () =>
      new ChannelChooser(own, seededRandom(3)).choose({
        candidates,
        model,
        attempt: 0,
        tried: new Set(),
      });
    const open = (id: number) => {
      for (let time = 0; time < 5; time += 1) own.failed(id, model);
    };
    open(one);
    nowMs += 2_000;
    for (let time = 0; time < 20; time += 1)
      expect(draw()).toMatchObject({ channel: { id: other } });
    open(other);
    expect(draw()).toMatchObject({ channel: { id: one } });
    own.begin(one, model);
    expect(draw()).toEqual({ waitMs: 1_000 });
    nowMs += 1_000;
    own.begin(one, model);
    expect(draw()).toMatchObject({ channel: { id: other } });
  });
});

describe('a routed call', () => {
  async function served(model: string, token: SiteToken = site.token): Promise<SiteAnswer> {
    return site.call({ key: token.key, body: { ...CHAT, model } });
  }

  async function channelOf(answer: SiteAnswer): Promise<number | undefined> {
    return (await site.logOf(answer.requestId))?.channel_id;
  }

  beforeAll(() =>
    site.option('ModelRatio', {
      'gpt-4o-mini': 0.075,
      'gpt-4o': 1.25,
      cheap: 0.1,
      'b/x': 1,
      x: 1,
      'gpt-4-gizmo-*': 15,
    }),
  );

  test('uses only channels of its own group', async () => {
    const own = await site.addChannel({ models: 'cheap', group: 'vip', priority: 1 });
    await site.addChannel({ models: 'cheap', group: 'svip', priority: 100 });
    const token = await site.addToken({ group: 'vip' });
    expect(await channelOf(await served('cheap', token))).toBe(own.id);
    expect((await served('cheap')).status).toBe(404);
  });

  test('can use a channel once it is created, edited or enabled, and never after it is disabled', async () => {
    const admin = site.as(OPERATOR).channel;
    const model = 'gpt-4o';
    const channel = await site.addChannel({ models: model, priority: 50 });
    expect(await channelOf(await served(model))).toBe(channel.id);
    await admin.setStatus({ id: channel.id, status: 2 });
    expect(await channelOf(await served(model))).toBe(site.channel.id);
    await admin.setStatus({ id: channel.id, status: 1 });
    expect(await channelOf(await served(model))).toBe(channel.id);
    await admin.edit({ id: channel.id, priority: -50 });
    expect(await channelOf(await served(model))).toBe(site.channel.id);
    await admin.edit({ id: channel.id, priority: 50, models: 'cheap', group: 'svip' });
    expect(await channelOf(await served(model))).toBe(site.channel.id);
    await admin.remove({ id: channel.id });
    expect((await served(model)).status).toBe(200);
  });

  describe('with a prefixed model name', () => {
    test('uses the channel with the prefix under the bare name, and returns the full name', async () => {
      const channel = await site.addChannel({
        models: 'gpt-4o',
        model_prefix: 'fast/',
        priority: 9,
      });
      const plain = await served('fast/gpt-4o');
      expect(bodyIn(site.upstream.requests.at(-1)?.body ?? '').model).toBe('gpt-4o');
      expect(bodyIn(plain.text).model).toBe('fast/gpt-4o');
      const log = await site.logOf(plain.requestId);
      expect([log?.channel_id, log?.model_name]).toEqual([channel.id, 'fast/gpt-4o']);
      expect(JSON.parse(log?.other ?? '')).toMatchObject({ price_name: 'gpt-4o' });
      const stream = await site.call({ body: { ...STREAM, model: 'fast/gpt-4o' } });
      expect(new Set(chunksIn(stream.text).map((chunk) => chunk.model))).toEqual(
        new Set(['fast/gpt-4o']),
      );
    });

    test('is not served by other channels, nor is the bare name by that channel', async () => {
      const channel = await site.addChannel({ models: 'cheap', model_prefix: 'slow/' });
      expect(refusalIn(await served('cheap'))).toMatchObject({
        status: 404,
        code: 'model_not_found',
      });
      expect(await channelOf(await served('slow/cheap'))).toBe(channel.id);
      expect((await served('fast/cheap')).status).toBe(404);
      await site.as(OPERATOR).channel.setStatus({ id: channel.id, status: 2 });
      const disabled = await served('slow/cheap');
      expect(refusalIn(disabled)).toMatchObject({
        status: 503,
        message: 'No channel of group default offers the model slow/cheap at the moment.',
        code: 'upstream_unavailable',
      });
      expect(Number(disabled.headers['retry-after'])).toBeGreaterThan(0);
    });

    test('uses the longest matching prefix, whatever the priorities', async () => {
      await site.addChannel({ models: 'b/x', model_prefix: 'a/', priority: 99 });
      const longer = await site.addChannel({ models: 'x', model_prefix: 'a/b/', priority: -9 });
      for (let time = 0; time < 5; time += 1)
        expect(await channelOf(await served('a/b/x'))).toBe(longer.id);
      await site.as(OPERATOR).channel.setStatus({ id: longer.id, status: 2 });
      expect((await served('a/b/x')).status).toBe(200);
    });

    test('follows tiers and retries like any other call', async () => {
      const high = await site.addChannel({ models: 'x', model_prefix: 'pro/', priority: 5 });
      const low = await site.addChannel({ models: 'x', model_prefix: 'pro/', priority: 1 });
      await site.option('RetryTimes', 1);
      site.upstream.script('status:500');
      const answer = await served('pro/x');
      const log = await site.logOf(answer.requestId);
      expect(log?.channel_id).toBe(low.id);
      expect(JSON.parse(log?.other ?? '').admin_info.use_channel).toEqual([
        String(high.id),
        String(low.id),
      ]);
      await site.option('RetryTimes', 0);
    });
  });

  describe('to a custom assistant', () => {
    test('is served under the one name of its family', async () => {
      const channel = await site.addChannel({ models: 'gpt-4-gizmo-*' });
      const answer = await served('gpt-4-gizmo-g-abc');
      expect([answer.status, await channelOf(answer)]).toEqual([200, channel.id]);
      expect(bodyIn(site.upstream.requests.at(-1)?.body ?? '').model).toBe('gpt-4-gizmo-g-abc');
    });
  });

  describe('on a channel with a model mapping', () => {
    const mapped = (mapping: object, models: string, model_prefix = '') =>
      site.addChannel({
        models,
        model_prefix,
        model_mapping: JSON.stringify(mapping),
        priority: 80,
      });

    test.each([
      ['one step', { m1: 'gpt-4o' }, 'm1', '', 'm1'],
      ['a chain', { m2: 'b', b: 'c', c: 'gpt-4o' }, 'm2', '', 'm2'],
      ['blanks around the name', { m3: '  gpt-4o ' }, 'm3', '', 'm3'],
      ['the bare name', { m4: 'gpt-4o' }, 'm4', 'p/', 'p/m4'],
      ['the full name before the bare one', { 'p/m5': 'gpt-4o', m5: 'wrong' }, 'm5', 'p/', 'p/m5'],
      ['a name mapped to itself', { 'gpt-4o': 'gpt-4o' }, 'gpt-4o', 'q/', 'q/gpt-4o'],
    ])(
      'requests %s, and is answered under its own name',
      async (_case, mapping, models, prefix, requestedModel) => {
        await mapped(mapping, models, prefix);
        const answer = await served(requestedModel);
        expect(answer.status).toBe(200);
        expect(bodyIn(site.upstream.requests.at(-1)?.body ?? '').model).toBe('gpt-4o');
        expect(bodyIn(answer.text).model).toBe(requestedModel);
        const log = await site.logOf(answer.requestId);
        expect(log?.model_name).toBe(requestedModel);
        if (requestedModel !== 'q/gpt-4o')
          expect(JSON.parse(log?.other ?? '')).toMatchObject({
            is_model_mapped: true,
            upstream_model_name: 'gpt-4o',
            price_name: 'gpt-4o',
          });
      },
    );

    test.each([
      [{ circle1: 'b', b: 'circle1' }, 'circle1'],
      [{ circle2: 'b', b: 'c', c: 'b' }, 'circle2'],
    ])(
      'with a circular mapping is refused without an upstream call: %j',
      async (mapping, model) => {
        const columns = { model_mapping: JSON.stringify(mapping) };
        const fields = { models: model, priority: 80 };
        const { id } = await importedChannel(site, fields, columns);
        expect(refusalIn(await served(model))).toEqual({
          status: 400,
          message: `The model mapping of channel ${id} is circular or not valid.`,
          type: 'invalid_request_error',
          param: 'model',
          code: 'model_mapped_error',
        });
        expect(site.upstream.stats.calls).toBe(0);
      },
    );
  });

  describe('that no provider can serve', () => {
    test.each([
      ['an endpoint the provider does not have', 'm3e', '/v1/chat/completions', CHAT],
      ['another one', 'deepseek', '/v1/moderations', { input: 'hi' }],
    ])('because of %s is refused with 400', async (_case, type, path, body) => {
      const model = `unserved-${type}`;
      await site.addChannel({ models: model, type });
      await site.option('ModelRatio', { 'gpt-4o': 1.25, x: 1, [model]: 1 });
      const answer = await site.call({ path, body: { ...body, model } });
      expect(refusalIn(answer)).toEqual({
        status: 400,
        message: `No channel can serve ${model} on this endpoint.`,
        type: 'invalid_request_error',
        param: 'model',
        code: 'endpoint_not_supported',
      });
    });

    test('uses a capable channel and skips the others', async () => {
      await site.addChannel({ models: 'gpt-4o', type: 'palm', priority: 1000 });
      for (let time = 0; time < 3; time += 1) expect((await served('gpt-4o')).status).toBe(200);
    });
  });
});
