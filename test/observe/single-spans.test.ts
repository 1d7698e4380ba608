/** Spans of upstream requests other than plain calls: Realtime responses and tasks. */
import { afterAll, expect, test } from 'vitest';
import { openSession } from '../relay/realtime/client-session.ts';
import { createTaskSite, IMAGINE_UNITS } from '../relay/tasks/task-site.ts';
import { eventually } from '../support/site.ts';
import { type CollectedSpan, startCollector } from './collector.ts';

const SERVER = 2;
const CLIENT = 3;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

const collector = await startCollector();
afterAll(() => collector.close());
const taskSite = await createTaskSite({
  config: { otlpEndpoint: collector.url, traceDelayMs: 20 },
});

async function spansWith(name: string, value: string, count = 1): Promise<CollectedSpan[]> {
  const found = () => collector.spans.filter(({ attributes }) => attributes[name] === value);
  await eventually('the spans have been sent', async () => found().length >= count);
  return found();
}

test('exports one span per response of a Realtime session, all in one trace', async () => {
  const { site } = taskSite;
  const model = 'gpt-realtime';
  await site.addChannel({ type: 1, base_url: site.upstream.url, models: model });
  const session = await openSession(site, { model });
  await session.exchange('Hello');
  await session.exchange('And again');
  session.socket.close();
  const [first, second, ...more] = await spansWith('gateway.session_id', session.requestId, 2);
  expect(more).toEqual([]);
  expect(second?.traceId).toBe(first?.traceId);
  expect(second?.spanId).not.toBe(first?.spanId);
  const log = await site.logOf(session.requestId);
  expect(first).toMatchObject({
    name: `realtime ${model}`,
    kind: CLIENT,
    attributes: {
      'gen_ai.operation.name': 'realtime',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': model,
      'gen_ai.usage.input_tokens': log?.prompt_tokens,
      'gen_ai.usage.output_tokens': log?.completion_tokens,
      'server.address': '127.0.0.1',
      'gateway.request_id': session.requestId,
      'gateway.outcome': 'answered',
      'gateway.quota': log?.quota,
    },
  });
  expect(JSON.stringify(collector.bodies)).not.toContain('And again');
});

test('exports one span for a submitted task, below the trace of its client', async () => {
  const { site, channel } = taskSite;
  const traceparent = `00-${TRACE}-${PARENT}-01`;
  const body = { prompt: 'a lighthouse' };
  const taken = await site.call({
    path: '/mj/submit/imagine',
    body,
    headers: { traceparent },
  });
  const [span, ...more] = await spansWith('gateway.request_id', taken.requestId);
  expect(more).toEqual([]);
  expect(span).toMatchObject({
    name: 'task mj_imagine',
    kind: SERVER,
    traceId: TRACE,
    parentSpanId: PARENT,
    attributes: {
      'gen_ai.operation.name': 'task',
      'gen_ai.request.model': 'mj_imagine',
      'gateway.task.action': 'IMAGINE',
      'gateway.channel.id': channel.id,
      'gateway.outcome': 'answered',
      'gateway.attempts': 1,
      'gateway.quota': IMAGINE_UNITS,
    },
  });
  expect(JSON.stringify(collector.bodies)).not.toContain('lighthouse');
});

test('exports a refused task submission as one span without a charge', async () => {
  const { site } = taskSite;
  const poor = await site.addToken({ remain_quota: 1 });
  const call = { path: '/mj/submit/imagine', body: { prompt: 'x' }, key: poor.key };
  const refused = await site.call(call);
  expect(refused.status).not.toBe(200);
  const [span] = await spansWith('gateway.request_id', refused.requestId);
  expect(span?.attributes).toMatchObject({ 'gateway.outcome': 'refused', 'gateway.quota': 0 });
});
