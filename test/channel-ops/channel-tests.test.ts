/** Tests of one channel against real upstreams. `channel-test-runs.test.ts` covers those of all. */
import { describe, expect, test } from 'vitest';
import { LOG_TYPE } from '../../src/domain/logs/log-types.ts';
import { localApi } from '../../src/handlers.ts';
import { rawUpstream, whole } from '../relay/raw-upstream.ts';
import { OPERATOR, UPSTREAM_KEY } from '../support/site.ts';
import { channelTestSite } from './channel-test-site.ts';

const site = await channelTestSite();

const api = () => site.as(OPERATOR);
const now = (id: number) => api().channel.get({ id });

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
