/**
 * Creates a server span for each call that reached a channel, with a client span below it for each
 * attempt, and a single span for each response of a Realtime session and each submitted task. Spans
 * are created when the call has ended and wait in a bounded queue: a call never waits for a
 * collector, and while none responds the oldest spans are dropped.
 */
import type { Config } from '../../config.ts';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { providerOf } from '../../providers/rows/provider-rows.ts';
import type { Relay } from '../../relay/pipeline/relay-context.ts';
import {
  type CallTrace,
  NOTHING,
  type ObservedCall,
  type ObservedChannel,
  type Observer,
  type SaidOfAnswer,
} from '../observer.ts';
import type { Complaints } from './sender.ts';
import { responseSpan, type Server, taskSpan } from './single-spans.ts';
import { createSpanQueue } from './span-queue.ts';
import { type Asked, spansOf, type Traced } from './spans.ts';
import { newSpanId, newTraceId, samplerOf, traceIdOf, traceParent } from './trace-context.ts';

export interface Traces {
  readonly observer: Observer;
  watch(relay: Relay): void;
  stop(): Promise<void>;
}

export function createTraces(config: Config, url: string, complaints: Complaints): Traces {
  const queue = createSpanQueue(config, url, complaints);
  const drawn = samplerOf(config);
  const finish = (call: ObservedCall, atMs: number, units: number): void => {
    const { trace } = call;
    if (!(trace instanceof OpenTrace) || trace.isOver) return;
    trace.isOver = true;
    queue.add(spansOf(call, trace, { atMs, units }));
  };
  /** Undefined when not sampled. */
  const placeFor = (headers: ObservedCall['incoming']['headers'], own: () => string) => {
    const parent = traceParent(headers);
    const traceId = parent?.traceId ?? own();
    if (!drawn(parent, traceId)) return undefined;
    return { traceId, parentId: parent?.spanId, state: parent?.state ?? '' };
  };
  const finishResponse = (call: ObservedCall, atMs: number, units: number): void => {
    const { headers, sessionId, requestId } = call.incoming;
    const place = placeFor(headers, () => traceIdOf(sessionId ?? requestId));
    const span =
      place && responseSpan(call, { place, server: serverOf(call.channel), end: { atMs, units } });
    if (span !== undefined) queue.add([span]);
  };

  return {
    observer: {
      ...NOTHING,
      traceOf({ incoming }) {
        const place = placeFor(incoming.headers, newTraceId);
        return place && new OpenTrace(place.traceId, place.parentId, place.state);
      },
      attempted(call) {
        // The upstream continues in the background: this process is done with the call.
        if (call.inBackground) finish(call, Date.now(), 0);
      },
      callEnded(call, units, atMs) {
        if (call.incoming.endpoint === 'realtime') finishResponse(call, atMs, units);
        else finish(call, atMs, units);
      },
      taskEnded(task, isTaken, price) {
        const place = placeFor(task.incoming.headers, newTraceId);
        if (place === undefined) return;
        const end = { atMs: Date.now(), units: isTaken ? price : 0 };
        queue.add([taskSpan(task, isTaken, { place, server: serverOf(task.channel), end })]);
      },
    },
    watch: ({ ctx }) => queue.begin(ctx),
    stop: () => queue.stop(),
  };
}

class OpenTrace implements CallTrace, Traced {
  readonly traceId: string;
  readonly spanId = newSpanId();
  readonly parentId: string | undefined;
  readonly state: string;
  readonly asks: Asked[] = [];
  answer: SaidOfAnswer = {};
  isOver = false;

  constructor(traceId: string, parentId: string | undefined, state: string) {
    this.traceId = traceId;
    this.parentId = parentId;
    this.state = state;
  }

  asked(channel: ObservedChannel, upstreamModel: string, atMs: number): void {
    const server = serverOf(channel);
    this.asks.push({ spanId: newSpanId(), channel, upstreamModel, atMs, server });
  }

  headers(): Readonly<Record<string, string>> {
    const current = this.asks.at(-1);
    return current === undefined ? {} : { traceparent: `00-${this.traceId}-${current.spanId}-01` };
  }

  said(answer: SaidOfAnswer): void {
    this.answer = answer;
  }
}

function serverOf(channel: ObservedChannel | undefined): Server {
  if (channel === undefined) return { address: undefined, port: undefined };
  const url = parsedUrl(channel.baseUrl || providerOf(channel.type).baseUrl);
  return { address: url?.hostname, port: portOf(url) };
}

function portOf(url: URL | undefined): number | undefined {
  if (url === undefined) return undefined;
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'http:' ? 80 : 443;
}
