/** W3C Trace Context, and which calls are traced (OTEL_TRACES_SAMPLER). */
import { createHash, randomBytes } from 'node:crypto';
import type { Config } from '../../config.ts';

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  /** Goes on with the trace to the collector, never to an upstream: it is the client's own. */
  readonly state: string;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const FORM = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const MAX_STATE_CHARS = 512;

/** What the client says of its trace; undefined where it says nothing that can be understood. */
export function traceParent(headers: Headers): TraceParent | undefined {
  const { traceparent, tracestate = '' } = headers;
  const found = typeof traceparent === 'string' ? FORM.exec(traceparent.trim()) : null;
  if (found === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = found;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const state = String(tracestate);
  return {
    traceId,
    spanId,
    isSampled: (Number.parseInt(flags, 16) & 1) === 1,
    state: state.length <= MAX_STATE_CHARS ? state : '',
  };
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

/** The same for all that belongs to one session, whichever process asks. */
export function traceIdOf(session: string): string {
  return createHash('sha256').update(session).digest('hex').slice(0, 32);
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

export type Sampler = (parent: TraceParent | undefined, traceId: string) => boolean;

export function samplerOf({ tracesSampler, tracesSamplerArg }: Config): Sampler {
  const own = tracesSampler.replace('parentbased_', '');
  const draw = (traceId: string) => {
    if (own === 'traceidratio') return isDrawn(traceId, tracesSamplerArg);
    return own === 'always_on';
  };
  if (own === tracesSampler) return (_parent, traceId) => draw(traceId);
  return (parent, traceId) => parent?.isSampled ?? draw(traceId);
}

/** By the last 56 bits of the id, so that every service of a trace draws alike. */
function isDrawn(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-14), 16) >= (1 - ratio) * 2 ** 56;
}
