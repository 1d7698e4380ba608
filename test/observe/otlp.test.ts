/** Traces and metrics that a running gateway exports to a collector. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { loggerTo } from '../../src/log.ts';
import { CollectorHealth, OtlpExporter } from '../../src/observe/otlp/sender.ts';
import { sharedSite } from '../support/shared-site.ts';
import { eventually, OPERATOR } from '../support/site.ts';
import { CHAT, STREAM } from '../upstream/wire.ts';
import { type CollectedSpan, startCollector } from './collector.ts';

const SERVER = 2;
const CLIENT = 3;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

const collector = await startCollector();
const site = await sharedSite({
  upstreams: 2,
  config: {
    otlpEndpoint: collector.url,
    otlpHeaders: 'x-team=models,authorization=Basic%20abc',
    resourceAttributes: 'deployment.environment=test,service.name=ignored',
    serviceName: 'my-gateway',
    traceDelayMs: 20,
    metricExportMs: 200,
  },
  options: { RetryTimes: 1 },
});
const page = await site.as(OPERATOR).channel.list({ id_sort: true });
for (const channel of page.items)
  await site.as(OPERATOR).channel.edit({ id: channel.id, priority: 100 - channel.id });
afterAll(() => collector.close());

/** Waits for the spans of a call and returns them, the server span first. */
async function spansOf(requestId: string): Promise<CollectedSpan[]> {
  const found = () =>
    collector.spans.filter(({ attributes }) => attributes['gateway.request_id'] === requestId);
  await eventually('the spans have been sent', async () => found().length > 0);
  return found().sort((a, b) => a.kind - b.kind);
}

describe('spans of a call', () => {
  test('are a server span and a child client span with generative AI attributes', async () => {
    const body = { ...CHAT, temperature: 0.5, max_tokens: 100 };
    const { requestId } = await site.call({ body });
    const [own, upstreamSpan, ...more] = await spansOf(requestId);
    expect(more).toEqual([]);
    const log = await site.logOf(requestId);
    expect(own).toMatchObject({
      name: 'POST /v1/chat/completions',
      kind: SERVER,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/chat/completions',
        'gateway.outcome': 'answered',
        'gateway.attempts': 1,
        'gateway.quota': log?.quota,
      },
    });
    expect(own?.parentSpanId).toBeUndefined();
    expect(upstreamSpan).toMatchObject({
      name: 'chat gpt-4o-mini',
      kind: CLIENT,
      traceId: own?.traceId,
      parentSpanId: own?.spanId,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-4o-mini',
        'gen_ai.request.temperature': 0.5,
        'gen_ai.request.max_tokens': 100,
        'gen_ai.response.model': expect.stringContaining('gpt-4o-mini'),
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.usage.input_tokens': log?.prompt_tokens,
        'gen_ai.usage.output_tokens': log?.completion_tokens,
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(site.upstream.url).port),
        'http.response.status_code': 200,
        'gateway.channel.id': site.channel.id,
      },
    });
    expect(
      BigInt(upstreamSpan?.endTimeUnixNano ?? 0) >= BigInt(upstreamSpan?.startTimeUnixNano ?? 1),
    ).toBe(true);
    expect(
      BigInt(own?.startTimeUnixNano ?? 1) <= BigInt(upstreamSpan?.startTimeUnixNano ?? 0),
    ).toBe(true);
  });

  test('include the finish reason and tokens of a stream', async () => {
    const { requestId } = await site.call({ body: STREAM });
    const [, upstreamSpan] = await spansOf(requestId);
    expect(upstreamSpan?.attributes).toMatchObject({
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.output_tokens': (await site.logOf(requestId))?.completion_tokens,
    });
  });

  test('include a failed attempt and the successful one on another channel', async () => {
    site.upstream.script('status:500');
    const { requestId } = await site.call({ body: CHAT });
    const [own, failed, good] = await spansOf(requestId);
    expect(own?.attributes).toMatchObject({ 'gateway.outcome': 'answered', 'gateway.attempts': 2 });
    expect(failed).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'server' } });
    expect(failed?.attributes['gen_ai.usage.input_tokens']).toBeUndefined();
    expect(good).toMatchObject({ status: {}, attributes: { 'http.response.status_code': 200 } });
    expect(good?.attributes['gateway.channel.id']).not.toBe(
      failed?.attributes['gateway.channel.id'],
    );
  });

  test('continue the trace of the client and pass it to the upstream', async () => {
    const headers: IncomingHttpHeaders[] = [];
    const upstream = createServer((request, response) => {
      headers.push(request.headers);
      const choices = [
        { index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' },
      ];
      const answer = { id: '1', object: 'chat.completion', created: 1, model: 'traced', choices };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const base_url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    await site.addChannel({
      base_url,
      models: 'gpt-4-traced',
      model_mapping: '{"gpt-4-traced":"gpt-4"}',
    });
    await site.option('ModelRatio', { ...site.ctx.options().get('ModelRatio'), 'gpt-4-traced': 1 });
    const { requestId } = await site.call({
      body: { ...CHAT, model: 'gpt-4-traced' },
      headers: { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=secret' },
    });
    const [own, upstreamSpan] = await spansOf(requestId);
    expect(own).toMatchObject({
      traceId: TRACE,
      parentSpanId: PARENT,
      traceState: 'vendor=secret',
    });
    expect(upstreamSpan?.name).toBe('chat gpt-4');
    expect(headers[0]?.traceparent).toBe(`00-${TRACE}-${upstreamSpan?.spanId}-01`);
    expect(headers[0]?.tracestate).toBeUndefined();
    upstream.close();
  });

  test('are not exported if the client does not sample its trace', async () => {
    const headers = { traceparent: `00-${TRACE}-${PARENT}-00` };
    const quiet = await site.call({ body: CHAT, headers });
    const loud = await site.call({ body: CHAT });
    await spansOf(loud.requestId);
    const ids = collector.spans.map(({ attributes }) => attributes['gateway.request_id']);
    expect(ids).not.toContain(quiet.requestId);
  });
});

test('exports metrics under their own names and the generative AI names', async () => {
  await site.call({ body: STREAM });
  await eventually('figures have been sent', async () => {
    const usage = collector.metrics.get('gen_ai.client.token.usage');
    return (usage?.points.length ?? 0) > 1;
  });
  const { metrics } = collector;
  const about = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o-mini',
  };
  const point = (name: string, more: object = {}) =>
    metrics.get(name)?.points.find(({ attributes }) => {
      const wanted = Object.entries({ ...about, ...more });
      return wanted.every(([key, value]) => attributes[key] === value);
    });
  for (const type of ['input', 'output']) {
    const found = point('gen_ai.client.token.usage', { 'gen_ai.token.type': type });
    expect(found?.sum).toBeGreaterThan(0);
    const counts = (found?.bucketCounts ?? []).reduce((sum, count) => sum + Number(count), 0);
    expect(counts).toBe(Number(found?.count));
    expect(found?.bucketCounts).toHaveLength((found?.explicitBounds?.length ?? 0) + 1);
  }
  expect(Number(point('gen_ai.client.operation.duration')?.count)).toBeGreaterThan(0);
  expect(Number(point('gen_ai.server.time_to_first_token')?.count)).toBeGreaterThan(0);
  expect(metrics.get('gateway_calls_total')?.kind).toBe('sum');
  expect(metrics.get('process_resident_memory_bytes')?.points[0]?.asDouble).toBeGreaterThan(1e6);
});

test('identifies the gateway to the collector and sends no message content', async () => {
  expect(collector.resource).toMatchObject({
    'service.name': 'my-gateway',
    'service.version': site.ctx.version,
    'service.instance.id': site.ctx.node,
    'deployment.environment': 'test',
  });
  const paths = new Set(collector.requests.map(({ path }) => path));
  expect([...paths].sort()).toEqual(['/v1/metrics', '/v1/traces']);
  for (const { headers } of collector.requests)
    expect(headers).toMatchObject({ 'x-team': 'models', authorization: 'Basic abc' });
  const all = collector.bodies.join('\n');
  for (const logged of ['Hello there', '世界', site.token.key, site.user.username])
    expect(all).not.toContain(logged);
});

test('resends spans that the collector refused', async () => {
  collector.status = 503;
  const { requestId } = await site.call({ body: CHAT });
  const refused = () => collector.requests.filter(({ path }) => path === '/v1/traces').length;
  const before = refused();
  await eventually('it has been refused', async () => refused() > before);
  collector.status = 200;
  expect((await spansOf(requestId)).length).toBe(2);
});

test('logs once that the collector is unreachable and once that it is back', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = loggerTo('info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  const complaints = new CollectorHealth();
  complaints.logTo(log);
  const away = await startCollector();
  await away.close();
  const config = loadConfig({ dataDir: '/nowhere' }, {});
  const url = (path: string) => `${away.url}${path}?key=secret-of-the-collector`;
  const senders = ['/v1/traces', '/v1/metrics'].map(
    (path) => new OtlpExporter(config, url(path), complaints),
  );
  for (let round = 0; round < 3; round += 1)
    for (const sender of senders) expect(await sender.post({})).toBe('later');
  expect(lines).toMatchObject([{ msg: 'telemetry cannot be sent', collector: away.url }]);
  const back = new OtlpExporter(config, `${collector.url}/v1/traces`, complaints);
  collector.status = 400;
  expect([await back.post({}), await back.post({})]).toEqual(['gone', 'gone']);
  collector.status = 200;
  expect([await back.post({}), await back.post({})]).toEqual(['taken', 'taken']);
  expect(lines.slice(1)).toMatchObject([
    { msg: 'telemetry cannot be sent', collector: `${collector.url}/v1/traces` },
    { msg: 'telemetry is accepted again' },
  ]);
  expect(JSON.stringify(lines)).not.toContain('secret-of-the-collector');
});
