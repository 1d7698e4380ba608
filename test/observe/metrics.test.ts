/** Metrics of a running gateway, as a scraper reads them. */
import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { beforeEach, describe, expect, test } from 'vitest';
import { emptyUsage } from '../../src/domain/pricing/usage.ts';
import { SERIES } from '../../src/observe/catalogue.ts';
import { authenticate } from '../../src/relay/admission/authenticate.ts';
import { priceFor } from '../../src/relay/billing/call-price.ts';
import { settle } from '../../src/relay/billing/settle.ts';
import { admitted } from '../../src/relay/call/admitted.ts';
import { ended } from '../../src/relay/call/call-end.ts';
import { readIntent } from '../../src/relay/call/call-intent.ts';
import { NO_UPLOAD } from '../../src/relay/call/incoming-call.ts';
import { NO_ROUTE } from '../../src/relay/call/route.ts';
import { createRelay } from '../../src/relay/create-relay.ts';
import { sharedSite } from '../support/shared-site.ts';
import { aSite, eventually, OPERATOR } from '../support/site.ts';
import { CHAT, STREAM } from '../upstream/wire.ts';
import { readScrape, type Scrape } from './scrape.ts';

const TOKEN = 'a-token-for-scrapers';

async function get(url: string, headers: Readonly<Record<string, string>> = {}) {
  const { statusCode, headers: lines, body } = await request(url, { headers });
  return { status: statusCode, type: String(lines['content-type']), text: await body.text() };
}

const site = await sharedSite({
  upstreams: 2,
  config: { metricsPort: 0 },
  options: { RetryTimes: 1 },
});
const page = await site.as(OPERATOR).channel.list({ id_sort: true });
// Prefer the channel of the first upstream.
for (const channel of page.items)
  await site.as(OPERATOR).channel.edit({ id: channel.id, priority: 100 - channel.id });

async function scrape(): Promise<Scrape> {
  const { status, text } = await get(site.serving.metricsUrl ?? '');
  expect(status).toBe(200);
  return readScrape(text);
}

describe('call metrics', () => {
  let before: Scrape;
  const grown = async (name: string, labels: Readonly<Record<string, string>> = {}) =>
    (await scrape()).sum(name, labels) - before.sum(name, labels);
  const model = CHAT.model;
  const channel = () => String(site.channel.id);
  beforeEach(async () => {
    for (const upstream of site.upstreams) upstream.reset();
    before = await scrape();
  });

  test('count a non-streamed call once, with its tokens and charge', async () => {
    const { requestId } = await site.call({ body: CHAT });
    const log = await site.logOf(requestId);
    const answered = { endpoint: 'chat', dialect: 'chat', outcome: 'answered' };
    expect(await grown('gateway_calls_total', answered)).toBe(1);
    expect(await grown('gateway_model_calls_total', { model, outcome: 'answered' })).toBe(1);
    expect(await grown('gateway_quota_charged_total', { model })).toBe(log?.quota);
    expect(await grown('gateway_channel_quota_charged_total', { channel: channel() })).toBe(
      log?.quota,
    );
    const tokens = (log?.prompt_tokens ?? 0) + (log?.completion_tokens ?? 0);
    expect(tokens).toBeGreaterThan(0);
    expect(await grown('gateway_tokens_total', { model })).toBe(tokens);
    const ok = { channel: channel(), type: 'openai', result: 'ok' };
    expect(await grown('gateway_attempts_total', ok)).toBe(1);
    expect(await grown('gateway_attempts_total')).toBe(1);
    const whole = { endpoint: 'chat', stream: 'false' };
    expect(await grown('gateway_call_duration_seconds_count', whole)).toBe(1);
    expect(await grown('gateway_first_token_seconds_count', { model })).toBe(1);
    expect(await grown('gateway_commits_total', { result: 'done' })).toBeGreaterThan(0);
    expect(await grown('gateway_commit_operations_count')).toBeGreaterThan(0);
  });

  test('keep a stream in flight until its last byte', async () => {
    site.upstream.script('hold:2');
    const open = await site.start({ body: STREAM });
    await eventually('it is in flight', async () => {
      const now = await scrape();
      return now.value('gateway_streams_in_flight') === 1;
    });
    expect((await scrape()).value('gateway_calls_in_flight')).toBeGreaterThan(0);
    site.upstream.release();
    await open.body.text();
    expect((await scrape()).value('gateway_streams_in_flight')).toBe(0);
    const streamed = { endpoint: 'chat', stream: 'true' };
    expect(await grown('gateway_call_duration_seconds_count', streamed)).toBe(1);
  });

  test('count a failed attempt and its retry as two attempts of one answered call', async () => {
    site.upstream.script('status:500');
    await site.call({ body: CHAT });
    expect(await grown('gateway_calls_total')).toBe(1);
    const failed = { channel: channel(), result: 'server' };
    expect(await grown('gateway_attempts_total', failed)).toBe(1);
    expect(await grown('gateway_attempts_total', { result: 'ok' })).toBe(1);
    expect(await grown('gateway_retries_total')).toBe(1);
    const now = await scrape();
    expect(now.value('gateway_channel_breaker_state', { channel: channel(), model })).toBe(0);
    await site.call({ body: CHAT });
  });

  test('count a settled call once, and no session that only returns its hold', async () => {
    const { relay, close } = await createRelay(site.ctx);
    const spare = await site.addChannel({ status: 2 });
    await relay.routing.load();
    const incoming = {
      requestId: randomUUID(),
      endpoint: 'chat',
      method: 'POST',
      path: '/v1/chat/completions',
      query: {},
      headers: { authorization: `Bearer ${site.token.key}` },
      upload: NO_UPLOAD,
      address: '',
      client: { leftAtMs: undefined, onLeave: () => undefined },
      receivedAtMs: relay.ctx.now(),
    } as const;
    const caller = await authenticate(relay, incoming);
    const intent = await readIntent({
      ...incoming,
      account: caller.user.id,
      body: Buffer.from(JSON.stringify(CHAT)),
    });
    const attempt = { channel_id: spare.id, channel_name: '', key_id: 0, upstream_model: model };
    const channel = relay.routing.channel(spare.id);
    const price = priceFor(relay, caller, { requested: model, upstream: model, channel });
    const call = admitted({
      incoming,
      caller,
      intent,
      attempts: [{ ...attempt, status: 200, code: '', message: '', duration_ms: 1 }],
      route: { ...NO_ROUTE, channel, price },
    });
    const usage = { ...emptyUsage(), input: 1_000 };
    await settle(relay, ended(call, { ending: 'answered', usage }));
    // A session that returns the hold of a response that never came is not a call.
    const idle = { ...incoming, requestId: randomUUID(), endpoint: 'realtime' } as const;
    await settle(relay, ended({ ...call, incoming: idle }, { ending: 'failed' }));
    await close(0);
    const charges = await site.ledgerOf(incoming.requestId);
    expect(charges).toHaveLength(1);
    const units = -Number(charges[0]?.user_units);
    expect(await grown('gateway_calls_total')).toBe(1);
    expect(await grown('gateway_tokens_total', { model })).toBe(1_000);
    expect(await grown('gateway_quota_charged_total', { model })).toBe(units);
    expect(await grown('gateway_attempts_total', { channel: String(spare.id) })).toBe(1);
    const { outcomes } = await site.as(OPERATOR).channelHealth.one({ id: spare.id });
    expect(outcomes).toHaveLength(1);
  });

  test('count a call that no upstream answers as failed', async () => {
    for (const upstream of site.upstreams) upstream.script('status:503');
    await site.call({ body: CHAT });
    expect(await grown('gateway_calls_total', { outcome: 'failed' })).toBe(1);
    expect(await grown('gateway_calls_total')).toBe(1);
    expect(await grown('gateway_quota_charged_total')).toBe(0);
  });

  test('count broken streams and calls whose client disconnected by outcome', async () => {
    site.upstream.script('reset-stream');
    await site.call({ body: STREAM });
    expect(await grown('gateway_calls_total', { outcome: 'upstream_broke' })).toBe(1);
    site.upstream.reset();
    site.upstream.script('paced:30:20');
    const open = await site.start({ body: STREAM });
    await open.leave();
    await eventually('the end is counted', async () => {
      return (await grown('gateway_calls_total', { outcome: 'client_left' })) === 1;
    });
  });

  test.each([
    ['a wrong key', { body: CHAT, key: 'sk-unknown' }, 'token_unknown'],
    ['no model', { body: {} }, 'field_missing'],
    [
      'a model that no channel serves',
      { body: { ...CHAT, model: 'made-up-by-a-client' } },
      'model_unknown',
    ],
  ])(
    'count a call with %s as refused, by error code and without its model name',
    async (_what, call, code) => {
      await site.call(call);
      expect(await grown('gateway_calls_total', { outcome: 'refused' })).toBe(1);
      expect(await grown('gateway_calls_total')).toBe(1);
      expect(await grown('gateway_model_calls_total', { model: 'other', outcome: 'refused' })).toBe(
        1,
      );
      expect(await grown('gateway_refusals_total', { api: 'model', code })).toBe(1);
    },
  );

  test('count management API requests by route, not by path', async () => {
    const first = await site.call({ path: '/api/user/17', key: '' });
    await site.call({ path: '/api/user/18', key: '' });
    const labels = { method: 'GET', route: '/api/user/:id', status: String(first.status) };
    expect(await grown('gateway_http_requests_total', labels)).toBe(2);
    expect(await grown('gateway_http_request_duration_seconds_count')).toBe(2);
    expect(await grown('gateway_refusals_total', { api: 'management' })).toBe(2);
  });
});

test('every scrape reads the state of the process and the site', async () => {
  const now = await scrape();
  expect(now.value('gateway_database_up')).toBe(1);
  expect(now.value('gateway_database_pool', { pool: 'write', state: 'pending' })).toBe(0);
  expect(now.value('gateway_channels', { status: 'enabled' })).toBe(2);
  expect(now.value('gateway_nodes')).toBe(1);
  expect(now.value('gateway_schema_version')).toBeGreaterThan(20);
  expect(now.value('gateway_change_feed_lag_seconds')).toBeLessThan(20);
  expect(now.value('gateway_job_interval_seconds', { job: 'cleanup' })).toBe(3600);
  expect(now.value('gateway_upstream_connections', { state: 'connected' })).toBeGreaterThan(0);
  expect(now.value('process_resident_memory_bytes')).toBeGreaterThan(1e7);
  expect(now.value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
  expect(now.samples.filter(({ name }) => name === 'gateway_redis_up')).toEqual([]);
});

test('no label contains a user, a token, a key or an address', async () => {
  const { text } = await get(site.serving.metricsUrl ?? '');
  for (const secret of [site.token.key, site.user.username, site.token.name, '127.0.0.1'])
    expect(text).not.toContain(secret);
});

test('every exposed metric is in the catalogue with the same kind', async () => {
  const now = await scrape();
  const catalogue = new Map(Object.entries(SERIES).map(([name, { kind }]) => [name, kind]));
  for (const [name, kind] of now.kinds) expect([name, kind]).toEqual([name, catalogue.get(name)]);
});

test('serves the text format to every scraper', async () => {
  const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5';
  const { type, text } = await get(site.serving.metricsUrl ?? '', { accept });
  expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text).toMatch(/^gateway_calls_total\{.*\} \d+$/m);
});

test('the metrics port serves nothing else, and the main port has no metrics path', async () => {
  const own = new URL(site.serving.metricsUrl ?? '');
  expect((await get(new URL('/api/status', own).href)).status).toBe(404);
  const { statusCode } = await request(own, { method: 'POST', body: 'x' });
  expect(statusCode).toBe(405);
  expect((await site.call({ path: '/metrics', key: '' })).status).toBe(404);
});

test('the main port serves metrics to requests with the metrics token if only a token is set', async () => {
  const other = await aSite({ config: { metricsToken: TOKEN } });
  const call = (key: string) => other.call({ path: '/metrics', key });
  expect((await call('')).status).toBe(401);
  expect((await call('another-token-of-16')).status).toBe(401);
  expect((await call(other.token.key)).status).toBe(401);
  // Unreadable values are omitted, because a stale value would look current.
  await other.ctx.reads.destroy();
  const answer = await call(TOKEN);
  expect(answer.status).toBe(200);
  const now = readScrape(answer.text);
  expect(now.value('gateway_database_up')).toBe(0);
  expect(now.value('gateway_nodes')).toBeUndefined();
  expect(now.value('process_resident_memory_bytes')).toBeGreaterThan(1e7);
  await other.close();
});
