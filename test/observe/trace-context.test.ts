import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { newTraceId, samplerOf, traceParent } from '../../src/observe/otlp/trace-context.ts';
import { nanosOf, parsePairs } from '../../src/observe/otlp/wire.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it('parses a W3C traceparent', () => {
  const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a=b' };
  const parent = { traceId: TRACE, spanId: SPAN, isSampled: true, traceState: 'a=b' };
  expect(traceParent(headers)).toEqual(parent);
  // A later version may append fields.
  expect(traceParent({ traceparent: `01-${TRACE}-${SPAN}-00-x` })?.isSampled).toBe(false);
});

it.each([
  '',
  'nonsense',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE.slice(1)}-${SPAN}-01`,
])('starts a new trace for traceparent "%s"', (traceparent) => {
  expect(traceParent({ traceparent })).toBeUndefined();
});

it('drops a tracestate that is too long', () => {
  const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a'.repeat(600) };
  expect(traceParent(headers)?.traceState).toBe('');
});

const sampled = { traceId: TRACE, spanId: SPAN, isSampled: true, traceState: '' };
const unsampled = { ...sampled, isSampled: false };

it.each([
  ['always_on', [true, true, true]],
  ['always_off', [false, false, false]],
  ['parentbased_always_on', [true, true, false]],
  ['parentbased_always_off', [false, true, false]],
])(
  '%s samples without a parent, with a sampled parent and with an unsampled parent: %o',
  (name, drawn) => {
    const sampler = samplerOf(loadConfig({ dataDir: '/nowhere' }, { OTEL_TRACES_SAMPLER: name }));
    expect([undefined, sampled, unsampled].map((parent) => sampler(parent, TRACE))).toEqual(drawn);
  },
);

it.each([
  [0, 0, 0],
  [0.25, 400, 600],
  [1, 2000, 2000],
])('samples the share %d of all traces, and each trace always alike', (ratio, least, most) => {
  const env = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: String(ratio) };
  const sampler = samplerOf(loadConfig({ dataDir: '/nowhere' }, env));
  const ids = Array.from({ length: 2000 }, newTraceId);
  const drawn = ids.filter((id) => sampler(undefined, id));
  expect(drawn.length).toBeGreaterThanOrEqual(least);
  expect(drawn.length).toBeLessThanOrEqual(most);
  expect(drawn.every((id) => sampler(undefined, id))).toBe(true);
});

it('parses headers and attributes as percent-encoded pairs', () => {
  expect(parsePairs('a=b, c = d%20e,f=100%,nothing,=x')).toEqual({ a: 'b', c: 'd e', f: '100%' });
});

it('converts times to nanoseconds with microsecond precision', () => {
  expect(nanosOf(1_795_262_400_123.456)).toBe('1795262400123456000');
});
