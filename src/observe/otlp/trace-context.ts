/** W3C Trace Context, and the decision which calls are traced (OTEL_TRACES_SAMPLER). */
import { createHash, randomBytes } from 'node:crypto';
import type { Config } from '../../config.ts';

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  /** The client's tracestate: passed to the collector, never to an upstream. */
  readonly traceState: string;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const MAX_STATE_CHARS = 512;

/** The client's trace context; undefined when missing or invalid. */
export function traceParent(headers: Headers): TraceParent | undefined {
  const { traceparent, tracestate = '' } = headers;
  const found = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent.trim()) : null;
  if (found === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = found;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const state = String(tracestate);
  return {
    traceId,
    spanId,
    isSampled: (Number.parseInt(flags, 16) & 1) === 1,
    traceState: state.length <= MAX_STATE_CHARS ? state : '',
  };
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

/** Derived from the session id, so that all processes use the same trace for a session. */
export function sessionTraceId(session: string): string {
  return createHash('sha256').update(session).digest('hex').slice(0, 32);
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

export type Sampler = (parent: TraceParent | undefined, traceId: string) => boolean;

export function samplerOf({ tracesSampler, tracesSamplerArg }: Config): Sampler {
  const own = tracesSampler.replace('parentbased_', '');
  const sample = (traceId: string) => {
    if (own === 'traceidratio') return isIdSampled(traceId, tracesSamplerArg);
    return own === 'always_on';
  };
  if (own === tracesSampler) return (_parent, traceId) => sample(traceId);
  return (parent, traceId) => parent?.isSampled ?? sample(traceId);
}

/** Uses the last 56 bits of the id, so that every service of a trace samples alike. */
function isIdSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-14), 16) >= (1 - ratio) * 2 ** 56;
}
