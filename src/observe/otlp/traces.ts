/**
 * Creates a server span for each call that reached a channel, with a client span below it for each
 * attempt, and a single span for each response of a Realtime session and each submitted task. Spans
 * are created when the call has ended and wait in a bounded queue: a call never waits for a
 * collector, and while none responds the oldest spans are dropped.
 */
import type { Config } from '../../config.ts';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { providerOf } from '../../providers/rows/provider-rows.ts';
import type { Relay } from '../../relay/call/relay-ports.ts';
import {
  type CallTrace,
  NO_OP_OBSERVER,
  type ObservedCall,
  type ObservedChannel,
  type ObservedEnd,
  type Observer,
  type ResponseDetails,
} from '../observer.ts';
import type { CollectorHealth } from './sender.ts';
import { responseSpan, taskSpan, type UpstreamServer } from './single-spans.ts';
import { createSpanQueue } from './span-queue.ts';
import { type AttemptSpan, otlpSpansOf, type SpanContext, type TracedCall } from './spans.ts';
import { newSpanId, newTraceId, samplerOf, sessionTraceId, traceParent } from './trace-context.ts';

export interface Traces {
  readonly observer: Observer;
  watch(relay: Relay): void;
  stop(): Promise<void>;
}

export function createTraces(config: Config, url: string, complaints: CollectorHealth): Traces {
  const queue = createSpanQueue(config, url, complaints);
  const isSampled = samplerOf(config);
  const finish = (end: ObservedEnd, atMs: number, units: number): void => {
    const { trace } = end.call;
    if (!(trace instanceof CallTraceRecord) || trace.isOver) return;
    trace.isOver = true;
    queue.add(otlpSpansOf(end, trace, { atMs, units }));
  };
  /** Undefined when not sampled. */
  const sampledContext = (headers: ObservedCall['incoming']['headers'], own: () => string) => {
    const parent = traceParent(headers);
    const traceId = parent?.traceId ?? own();
    if (!isSampled(parent, traceId)) return undefined;
    return { traceId, parentId: parent?.spanId, traceState: parent?.traceState ?? '' };
  };
  const finishResponse = (end: ObservedEnd, atMs: number, units: number): void => {
    const { headers, sessionId, requestId } = end.call.incoming;
    const context = sampledContext(headers, () => sessionTraceId(sessionId ?? requestId));
    const span =
      context &&
      responseSpan(end, {
        context,
        server: serverOf(end.call.route.channel),
        settled: { atMs, units },
      });
    if (span !== undefined) queue.add([span]);
  };

  return {
    observer: {
      ...NO_OP_OBSERVER,
      traceOf({ incoming }) {
        const context = sampledContext(incoming.headers, newTraceId);
        return context && new CallTraceRecord(context);
      },
      attemptsEnded(end) {
        // The upstream continues in the background: this process is done with the call.
        if (end.inBackground) finish(end, Date.now(), 0);
      },
      callEnded(end, units, atMs) {
        if (end.call.incoming.endpoint === 'realtime') finishResponse(end, atMs, units);
        else finish(end, atMs, units);
      },
      taskEnded(task, isAccepted, price) {
        const context = sampledContext(task.incoming.headers, newTraceId);
        if (context === undefined) return;
        const settled = { atMs: Date.now(), units: isAccepted ? price : 0 };
        queue.add([
          taskSpan(task, isAccepted, { context, server: serverOf(task.channel), settled }),
        ]);
      },
    },
    watch: ({ ctx }) => queue.start(ctx),
    stop: () => queue.stop(),
  };
}

class CallTraceRecord implements CallTrace, TracedCall {
  readonly context: SpanContext;
  readonly spanId = newSpanId();
  readonly attemptSpans: AttemptSpan[] = [];
  response: ResponseDetails = {};
  isOver = false;

  constructor(context: SpanContext) {
    this.context = context;
  }

  startAttempt(channel: ObservedChannel, upstreamModel: string, atMs: number): void {
    const server = serverOf(channel);
    this.attemptSpans.push({ spanId: newSpanId(), channel, upstreamModel, atMs, server });
  }

  propagationHeaders(): Readonly<Record<string, string>> {
    const current = this.attemptSpans.at(-1);
    if (current === undefined) return {};
    return { traceparent: `00-${this.context.traceId}-${current.spanId}-01` };
  }

  recordResponse(response: ResponseDetails): void {
    this.response = response;
  }
}

function serverOf(channel: ObservedChannel | undefined): UpstreamServer {
  if (channel === undefined) return { address: undefined, port: undefined };
  const url = parsedUrl(channel.baseUrl || providerOf(channel.type).baseUrl);
  return { address: url?.hostname, port: portOf(url) };
}

function portOf(url: URL | undefined): number | undefined {
  if (url === undefined) return undefined;
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'http:' ? 80 : 443;
}
