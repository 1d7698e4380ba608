/** Channel tests against real upstreams: one channel, all, every key, with the options. */
import { beforeEach, describe, expect, test } from 'vitest';
import { testAllChannels } from '../../src/channel-ops/channel-test-run.ts';
import { LOG_TYPE } from '../../src/domain/logs/log-types.ts';
import { localApi } from '../../src/handlers.ts';
import { rawUpstream, whole } from '../relay/raw-upstream.ts';
import { databases } from '../support/databases.ts';
import { sharedSite } from '../support/shared-site.ts';
import { aSite, eventually, OPERATOR, type Site, UPSTREAM_KEY } from '../support/site.ts';

const site = await sharedSite();
beforeEach(async () => {
  await site.ctx.db('channels').whereNot({ id: site.channel.id }).delete();
  await site.as(OPERATOR).channel.setStatus({ id: site.channel.id, status: 1 });
  await site.option('AutomaticDisableChannelEnabled', false);
  await site.option('AutomaticEnableChannelEnabled', false);
  await site.option('ChannelDisableThreshold', 5);
});

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

describe('a channel test calls the endpoint that serves the model', () => {
  const CLOUDFLARE = { type: 'cloudflare', other: 'acct' };

  test.each([
    ['text-embedding-3-small', {}, '/v1/embeddings'],
    ['gpt-image-2', {}, '/v1/images/generations'],
    ['gpt-4o-mini-tts', {}, '/v1/audio/speech'],
    ['whisper-1', {}, '/v1/audio/transcriptions'],
    ['bge-reranker-v2-m3', {}, '/v1/rerank'],
    ['gpt-4o', {}, '/v1/chat/completions'],
    ['rerank-v3.5', { type: 'cohere', root: '/cohere' }, '/cohere/v2/rerank'],
    ['speech-02-hd', { type: 'minimax' }, '/v1/t2a_v2'],
    ['qwen-image', { type: 'alibaba' }, '/multimodal-generation/generation'],
    ['gemini-embedding-001', { type: 'gemini' }, ':batchEmbedContents'],
    ['gemini-3-pro-image', { type: 'gemini' }, ':generateContent'],
    ['@cf/hear', { ...CLOUDFLARE, endpoint: 'transcriptions' }, '/ai/run/%40cf/hear'],
  ] as const)(
    '%s of %j at %s',
    async (model, { root = '', endpoint, ...fields }: ChannelFields, path) => {
      const base_url = site.upstream.url + root;
      const { id } = await site.addChannel({ models: model, base_url, ...fields });
      const result = await api().probe.test({
        id,
        ...(endpoint === undefined ? {} : { endpoint }),
      });
      expect(result).toMatchObject({ success: true, message: '', status_code: 200 });
      expect(site.upstream.requests.at(-1)?.path).toContain(path);
    },
  );

  test('and reports what was refused there', async () => {
    site.upstream.script({ refuse: { status: 400, message: 'no pictures today' } });
    const { id } = await site.addChannel({ models: 'gpt-image-2' });
    const result = await api().probe.test({ id });
    expect(result).toMatchObject({ success: false, status_code: 400 });
    expect(result.message).toContain('no pictures today');
  });
});

interface ChannelFields {
  readonly type?: string;
  readonly root?: string;
  readonly other?: string;
  readonly endpoint?: 'transcriptions';
}

describe('a test of one channel', () => {
  test('reports duration and answer, and is stored on the channel', async () => {
    const { id } = site.channel;
    site.upstream.setDefault({ delayMs: 20 });
    const result = await api().probe.test({ id });
    expect(result).toMatchObject({
      success: true,
      message: '',
      status_code: 200,
      model: 'gpt-4o-mini',
    });
    expect(result.time_ms).toBeGreaterThanOrEqual(20);
    expect(result.time).toBe(result.time_ms / 1000);
    expect(result.answer.length).toBeGreaterThan(0);
    expect(await now(id)).toMatchObject({ response_time: result.time_ms });
    expect((await now(id)).test_time).toBeGreaterThan(0);
    const { outcomes } = await api().channelHealth.one({ id });
    expect(outcomes.at(-1)).toMatchObject({ source: 'test', ok: true, latency_ms: result.time_ms });
  });

  test('writes a log entry and costs nothing', async () => {
    await site.option('LogErrorEnabled', true);
    const admin = await site.addUser({ role: 10 });
    await site.as(admin.actor).probe.test({ id: site.channel.id, model: 'gpt-4o' });
    const [line] = await site.ctx.db('logs').where({ user_id: admin.id, type: 2 });
    expect(line).toMatchObject({
      token_name: '',
      content: 'Channel test',
      model_name: 'gpt-4o',
    });
    expect([Number(line.quota), Number(line.channel_id)]).toEqual([0, site.channel.id]);
    site.upstream.script('invalid-key');
    await site.as(admin.actor).probe.test({ id: site.channel.id, model: 'gpt-4o' });
    const failures = { username: admin.username, type: LOG_TYPE.error };
    const { items } = await localApi(site.ctx, OPERATOR, 'zh').log.list(failures);
    expect(items[0]?.content).toBe('渠道测试失败：Incorrect API key provided.');
    expect(await site.channelUsed(site.channel.id)).toBe(0);
    expect((await site.verify()).ok).toBe(true);
  });

  test('says in the reader’s language what the gateway found', async () => {
    const raw = await rawUpstream();
    raw.answer = whole({ choices: [] });
    const { id } = await site.addChannel({ base_url: raw.url });
    const chinese = localApi(site.ctx, OPERATOR, 'zh');
    const empty = '上游的回答既无内容也无用量信息';
    expect((await chinese.probe.test({ id })).message).toBe(empty);
    const { outcomes } = await chinese.channelHealth.one({ id });
    expect(outcomes.at(-1)?.message).toBe(empty);
    const english = await api().channelHealth.one({ id });
    expect(english.outcomes.at(-1)?.message).toContain('without any content or usage');
    await raw.close();
  });

  test('streams when requested, and uses embeddings for an embedding model', async () => {
    const streamed = await api().probe.test({ id: site.channel.id, stream: true });
    expect(streamed).toMatchObject({ success: true });
    expect(streamed.answer.length).toBeGreaterThan(0);
    const model = 'text-embedding-3-small';
    expect(await api().probe.test({ id: site.channel.id, model })).toMatchObject({ success: true });
    expect(site.upstream.requests.at(-1)?.path).toContain('/embeddings');
  });

  test("uses the requested endpoint, whatever the model's name", async () => {
    const model = 'house-vectors';
    await api().probe.test({ id: site.channel.id, model, endpoint: 'embeddings' });
    expect(site.upstream.requests.at(-1)?.path).toContain('/embeddings');
    await api().probe.test({ id: site.channel.id, model, endpoint: '' });
    expect(site.upstream.requests.at(-1)?.path).toContain('/chat/completions');
  });

  test.each([
    ['refuses', 'status:500', 500],
    ['is a proxy that says nothing', 'empty-error:502', 502],
    ['fails inside a 200', 'ok-with-error-body', 500],
    ['breaks the line', 'reset-before-headers', 0],
  ])('reports when the upstream %s', async (_what, plan, status) => {
    site.upstream.script(plan);
    const result = await api().probe.test({ id: site.channel.id });
    expect(result).toMatchObject({ success: false, status_code: status });
    expect(result.message).not.toBe('');
    expect((await now(site.channel.id)).test_time).toBeGreaterThan(0);
  });

  test('with invalid parameters is refused', async () => {
    const { id } = await site.addChannel({ type: 'voyage', models: 'rerank-3' });
    const images = { id, endpoint: 'images' } as const;
    await expect(api().probe.test(images)).rejects.toMatchObject({ code: 'channel_untestable' });
    const gone = await site.addChannel({ type: 'palm', models: 'PaLM-2' });
    await expect(api().probe.test({ id: gone.id })).rejects.toMatchObject({
      code: 'provider_retired',
    });
    await expect(api().probe.test({ id: 999_999 })).rejects.toMatchObject({
      code: 'channel_missing',
    });
  });

  test.each([
    [2, 'mj_imagine', '/mj/task/list-by-condition', '[]'],
    [5, 'mj_imagine', '/mj/task/list-by-condition', '[]'],
    [36, 'suno_music', '/suno/fetch', '{"code":"success","data":[]}'],
  ])('of type %i is refused for a task channel', async (type, models, path, answer) => {
    const raw = await rawUpstream();
    raw.answer = whole(answer);
    const { id } = await site.addChannel({ type, models, base_url: raw.url });
    expect(await api().probe.test({ id })).toMatchObject({ success: true, status_code: 200 });
    expect(raw.requests).toMatchObject([{ path, body: '{"ids":[]}' }]);
    raw.answer = whole({ code: 3, description: 'no account' });
    expect(await api().probe.test({ id })).toMatchObject({ success: false });
    raw.answer = (response) => response.writeHead(403).end(`{"message":"not ${UPSTREAM_KEY}"}`);
    const refused = await api().probe.test({ id });
    expect(refused).toMatchObject({ success: false, status_code: 403 });
    expect(refused.message).not.toContain(UPSTREAM_KEY);
    await raw.close();
  });

  test('re-enables an automatically disabled channel, never a manually disabled one', async () => {
    const { id } = site.channel;
    await site.ctx.db('channels').where({ id }).update({ status: 3 });
    await api().probe.test({ id });
    expect((await now(id)).status).toBe(3);
    await site.option('AutomaticEnableChannelEnabled', true);
    await api().probe.test({ id });
    expect((await now(id)).status).toBe(1);
    await api().channel.setStatus({ id, status: 2 });
    await api().probe.test({ id });
    expect((await now(id)).status).toBe(2);
  });

  test('is limited to sixty a minute', async () => {
    const admin = await site.addUser({ role: 10 });
    const calls = Array.from({ length: 61 }, () =>
      site.as(admin.actor).channelModel.fetch({ id: 999_999 }),
    );
    const outcomes = await Promise.allSettled(calls);
    const codes = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(1);
  });
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
