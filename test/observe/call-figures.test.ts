import { expect, it } from 'vitest';
import { callMetrics, MAX_CHANNELS, MAX_MODELS } from '../../src/observe/call-metrics.ts';
import { MetricRegistry } from '../../src/observe/metric-registry.ts';
import { callOutcomeOf, type ObservedCall, type ObservedEnd } from '../../src/observe/observer.ts';

function anEnd(
  fields: Partial<Omit<ObservedEnd, 'call'>> & { readonly call?: Partial<ObservedCall> } = {},
): ObservedEnd {
  const { call, ...end } = fields;
  return {
    ending: 'answered',
    usage: undefined,
    firstContentAtMs: 0,
    inBackground: false,
    ...end,
    call: {
      incoming: {
        requestId: 'r',
        endpoint: 'chat',
        method: 'POST',
        path: '/v1/chat/completions',
        headers: {},
        receivedAtMs: 1_000,
        client: { leftAtMs: undefined },
      },
      intent: { model: 'm', stream: false, maxTokens: undefined, body: {} },
      attempts: [{ channel_id: 1, status: 200, code: '', duration_ms: 5 }],
      route: { channel: { id: 1, type: 1, baseUrl: '' }, upstreamModel: 'm' },
      trace: undefined,
      reservation: { allowedUnits: undefined },
      ...call,
    },
  };
}

const BAD = { channel_id: 1, status: 500, code: 'server_error', duration_ms: 5 };
const GOOD = { channel_id: 1, status: 200, code: '', duration_ms: 5 };
const gone = { ...anEnd().call.incoming, client: { leftAtMs: 5 } };
const realtime = { ...anEnd().call.incoming, endpoint: 'realtime' };

it.each<[string, Parameters<typeof anEnd>[0], string | undefined]>([
  ['an answer', {}, 'answered'],
  ['a broken one', { ending: 'upstream_broke' }, 'upstream_broke'],
  ['one whose client left', { ending: 'client_left' }, 'client_left'],
  [
    'one that all upstreams refused',
    { ending: 'failed', call: { attempts: [BAD, BAD] } },
    'failed',
  ],
  ['one that was never asked of anybody', { ending: 'failed', call: { attempts: [] } }, 'refused'],
  [
    'one whose client left before anybody was asked',
    { ending: 'failed', call: { attempts: [], incoming: gone } },
    'client_left',
  ],
  [
    'one that failed here after a good answer',
    { ending: 'failed', call: { attempts: [GOOD] } },
    'failed',
  ],
  [
    'the unused reservation of a session',
    { ending: 'failed', call: { attempts: [GOOD], incoming: realtime } },
    undefined,
  ],
])('reports the outcome of %s', (_what, fields, outcome) => {
  expect(callOutcomeOf(anEnd(fields))).toBe(outcome);
});

it('counts models and channels beyond the limit together as "other"', () => {
  const figures = new MetricRegistry();
  const observer = callMetrics(figures, { typeOf: () => 'openai' }, (model) => model);
  const many = MAX_MODELS + 50;
  for (let at = 1; at <= many; at += 1) {
    const attempts = [{ ...GOOD, channel_id: at }];
    const intent = { ...anEnd().call.intent, model: `model-${at}` };
    const end = anEnd({
      call: {
        intent,
        attempts,
        route: { channel: { id: at, type: 1, baseUrl: '' }, upstreamModel: 'm' },
      },
    });
    observer.attemptsEnded(end);
    observer.callEnded(end, 3, 2_000);
  }
  const samples = (name: Parameters<MetricRegistry['number']>[0]) =>
    figures.number(name).state().samples;
  expect(samples('gateway_model_calls_total')).toHaveLength(MAX_MODELS + 1);
  expect(samples('gateway_attempts_total')).toHaveLength(MAX_CHANNELS + 1);
  const other = samples('gateway_model_calls_total').find(({ labels }) => labels[0] === 'other');
  expect(other?.cell).toEqual({ value: 50 });
  const units = samples('gateway_quota_charged_total');
  const sum = units.reduce((total, { cell }) => total + ('value' in cell ? cell.value : 0), 0);
  expect(sum).toBe(3 * many);
});
