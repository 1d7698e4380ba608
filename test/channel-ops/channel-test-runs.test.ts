/** Tests of all channels and all keys: one run at a time, its results, and what it disables. */
import { describe, expect, test } from 'vitest';
import { testAllChannels } from '../../src/channel-ops/channel-test-run.ts';
import { rawUpstream, whole } from '../relay/raw-upstream.ts';
import { databases } from '../support/databases.ts';
import { aSite, eventually, OPERATOR, type Site, UPSTREAM_KEY } from '../support/site.ts';
import { channelTestSite } from './channel-test-site.ts';

const site = await channelTestSite();

const ANSWER = {
  choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
};

const api = () => site.as(OPERATOR);

const now = (id: number) => api().channel.get({ id });

/** Waits until all background work has ended. */
const over = () =>
  eventually('the test of all is over', async () => {
    const row = await site.ctx.db('channel_test_runs').orderBy('id', 'desc').first();
    return Number(row?.ended_at_ms) > 0;
  });

describe('a test of all channels', () => {
  test('tests every channel, whatever its status, and responds immediately', async () => {
    const off = await site.addChannel({ status: 2 });
    const broken = await site.addChannel({ base_url: 'http://127.0.0.1:9' });
    await site.addChannel({ type: 'palm', models: 'PaLM-2' });
    const run = await api().channelTest.begin({});
    expect(run).toMatchObject({ started_by: 'operator', channels: 3, done: 0, ended_at_ms: 0 });
    await over();
    for (const id of [site.channel.id, off.id, broken.id])
      expect((await now(id)).test_time).toBeGreaterThan(0);
    const events = await collected();
    expect(events.at(-1)).toMatchObject({
      name: 'end',
      data: { id: run.id, channels: 3, done: 3, failed: 1 },
    });
    const failed = events.filter((event) => event.data.success === false);
    expect(failed.map((event) => event.data.channel_id)).toEqual([broken.id]);
    const own = events.find((event) => event.data.channel_id === site.channel.id);
    expect(own?.data).toMatchObject({ channel_name: site.channel.name, success: true });
  });

  test('runs only once at a time and publishes results as it runs', async () => {
    await site.addChannel({});
    site.upstream.setDefault('hold');
    const [first, second] = await Promise.allSettled([
      api().channelTest.begin({}),
      api().channelTest.begin({}),
    ]);
    const refused = [first, second].filter((outcome) => outcome?.status === 'rejected');
    expect(refused).toMatchObject([{ reason: { code: 'already_running' } }]);
    await expect(testAllChannels(site.ctx, OPERATOR)).rejects.toMatchObject({
      code: 'already_running',
    });
    const coming = collected();
    await site.upstream.until((stats) => stats.openCalls === 2);
    site.upstream.release();
    expect((await coming).map((event) => event.name)).toEqual(['result', 'result', 'end']);
    await over();
    site.upstream.reset();
    expect(await testAllChannels(site.ctx, OPERATOR)).toHaveLength(2);
  });

  test('can be cancelled: running tests end, and the next run may begin', async () => {
    await site.option('ChannelDisableThreshold', 0);
    for (let more = 0; more < 5; more += 1) await site.addChannel({});
    site.upstream.setDefault('hold');
    expect(await api().channelTest.stop({})).toBe(false);
    await api().channelTest.begin({});
    const coming = collected();
    await site.upstream.until((stats) => stats.openCalls === 4);
    expect(await api().channelTest.stop({})).toBe(true);
    expect(await coming).toMatchObject([{ name: 'end', data: { channels: 6, done: 0 } }]);
    await site.upstream.until((stats) => stats.openCalls === 0);
    expect(site.upstream.requests).toHaveLength(4);
    site.upstream.reset();
    expect(await testAllChannels(site.ctx, OPERATOR)).toHaveLength(6);
  });

  test('tests several keys of a channel concurrently', async () => {
    const raw = await rawUpstream();
    const waiting: (() => unknown)[] = [];
    raw.answer = (response, request) => {
      waiting.push(() => whole(ANSWER)(response, request));
      if (waiting.length === 3) for (const answer of waiting) answer();
    };
    const { id } = await site.addChannel({ base_url: raw.url, key: 'sk-1,sk-2,sk-3' });
    const results = await testAllChannels(site.ctx, OPERATOR);
    expect(results.find((result) => result.channel_id === id)).toMatchObject({ success: true });
    await raw.close();
  });

  test('waits for a key no longer than the threshold, and reports that the channel was disabled', async () => {
    await site.option('ChannelDisableThreshold', 0.2);
    await site.option('AutomaticDisableChannelEnabled', true);
    const raw = await rawUpstream();
    raw.answer = () => undefined;
    const { id } = await site.addChannel({ base_url: raw.url, key: 'sk-1,sk-2,sk-3' });
    await testAllChannels(site.ctx, OPERATOR);
    expect(raw.requests).toHaveLength(3);
    expect((await now(id)).status).toBe(3);
    const events = await collected();
    expect(events.find(({ data }) => data.channel_id === id)?.data).toMatchObject({
      success: false,
      disabled: true,
      message: 'Key 1 of 3: Slow: no answer within 0.2 s',
    });
    await raw.close();
  });

  test('keeps a bounded history of results per channel', async () => {
    await testAllChannels(site.ctx, OPERATOR);
    for (let more = 0; more < 40; more += 1) await api().probe.test({ id: site.channel.id });
    expect(await collected()).toHaveLength(2);
  });

  test('disables a slow channel when configured, and re-enables it when it is fast', async () => {
    await site.option('ChannelDisableThreshold', 0.01);
    await site.option('AutomaticEnableChannelEnabled', true);
    site.upstream.setDefault({ delayMs: 60 });
    const { id } = site.channel;
    const [result] = await testAllChannels(site.ctx, OPERATOR);
    expect(result).toMatchObject({
      success: false,
      message: expect.stringContaining('channel_slow'),
    });
    expect((await now(id)).status).toBe(1);
    await site.option('AutomaticDisableChannelEnabled', true);
    await testAllChannels(site.ctx, OPERATOR);
    const gone = await now(id);
    expect([gone.status, gone.keys[0]?.status]).toEqual([3, 3]);
    expect(JSON.parse(gone.other_info).status_reason).toBe('Slow: no answer within 0.01 s');
    const { outcomes } = await api().channelHealth.one({ id });
    expect(outcomes.at(-1)).toMatchObject({ ok: false, error_class: 'slow' });
    site.upstream.reset();
    await site.option('ChannelDisableThreshold', 0);
    await testAllChannels(site.ctx, OPERATOR);
    expect((await now(id)).status).toBe(1);
  });

  test('disables only the slow keys, and the channel with the last one', async () => {
    await site.option('ChannelDisableThreshold', 2);
    await site.option('AutomaticDisableChannelEnabled', true);
    await site.option('AutomaticEnableChannelEnabled', true);
    const upstream = await site.addUpstream();
    const keys = ['sk-one-0000001', 'sk-two-0000002', 'sk-three-00003'];
    const { id } = await site.addChannel({ upstream, key: keys.join('\n') });
    const key_cipher = site.ctx.secrets.encrypt(UPSTREAM_KEY);
    await site.ctx.db('channel_keys').where({ channel_id: id }).update({ key_cipher });
    const run = async (...plans: 'hold'[]) => {
      upstream.script(...plans);
      await testAllChannels(site.ctx, OPERATOR);
      upstream.release();
      upstream.reset();
      return (await now(id)).keys.map((key) => key.status).toSorted();
    };
    expect(await run('hold')).toEqual([1, 1, 3]);
    expect((await now(id)).status).toBe(1);
    expect(await run('hold')).toHaveLength(3);
    // Written with every change of the status: there was none, not even for a moment.
    expect((await now(id)).other_info).toBe('');
    expect(await run('hold', 'hold', 'hold')).toEqual([3, 3, 3]);
    expect((await now(id)).status).toBe(3);
    expect(await run('hold', 'hold')).toEqual([1, 3, 3]);
    expect((await now(id)).status).toBe(1);
  });

  test('tests every key: disables a bad one, and re-enables it when it works again', async () => {
    await site.option('AutomaticDisableChannelEnabled', true);
    await site.option('AutomaticEnableChannelEnabled', true);
    const { id } = await site.addChannel({ key: `${UPSTREAM_KEY}\nsk-bad-key-000001` });
    const resultOf = async () =>
      (await testAllChannels(site.ctx, OPERATOR)).find((result) => result.channel_id === id);
    const statuses = async () => (await now(id)).keys.map((key) => key.status);
    expect(await resultOf()).toMatchObject({
      success: false,
      message: expect.stringContaining('"key":2,"keys":2'),
    });
    expect([(await now(id)).status, await statuses()]).toEqual([1, [1, 3]]);
    expect(await resultOf()).toMatchObject({ success: true });
    expect(await statuses()).toEqual([1, 3]);
    const good = site.ctx.secrets.encrypt(UPSTREAM_KEY);
    await site.ctx
      .db('channel_keys')
      .where({ channel_id: id, position: 1 })
      .update({ key_cipher: good });
    expect(await resultOf()).toMatchObject({ success: true });
    expect(await statuses()).toEqual([1, 1]);
  });

  test('does not disable a channel whose auto-ban setting is off', async () => {
    await site.option('AutomaticDisableChannelEnabled', true);
    const { id } = await site.addChannel({ key: 'sk-bad-key-000001', auto_ban: 0 });
    await testAllChannels(site.ctx, OPERATOR);
    expect(await now(id)).toMatchObject({ status: 1, keys: [{ status: 1 }] });
  });

  test('ends early when its signal is aborted', async () => {
    const stop = new AbortController();
    stop.abort();
    expect(await testAllChannels(site.ctx, OPERATOR, stop.signal)).toEqual([]);
    expect(site.upstream.requests).toEqual([]);
    expect(await testAllChannels(site.ctx, OPERATOR)).toHaveLength(1);
  });
});

describe.each(databases)('channel tests on $kind', ({ kind }) => {
  test('two processes share one test run, and either can publish its results', async () => {
    const here = await aSite({ database: kind });
    try {
      const twin = { ...here.ctx, node: 'another-node' };
      here.upstream.setDefault('hold');
      const running = testAllChannels(here.ctx, OPERATOR);
      await here.upstream.until((stats) => stats.openCalls === 1);
      await expect(testAllChannels(twin, OPERATOR)).rejects.toMatchObject({
        code: 'already_running',
      });
      here.upstream.release();
      expect(await running).toHaveLength(1);
      expect((await collected(here)).map((event) => event.name)).toEqual(['result', 'end']);
      here.upstream.reset();
      expect(await testAllChannels(twin, OPERATOR)).toHaveLength(1);
    } finally {
      await here.close();
    }
  });
});

interface Sent {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into events of every form
  readonly data: any;
}

async function collected(at: Site = site): Promise<Sent[]> {
  let text = '';
  for await (const part of await at.as(OPERATOR).channelTest.stream({})) text += part;
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [name = '', data = ''] = block.split('\n');
      return { name: name.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) };
    });
}
