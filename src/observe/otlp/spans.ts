/** Builds the OTLP spans of a call that has ended. */
import type {
  ObservedAttempt,
  ObservedChannel,
  ObservedEnd,
  ResponseDetails,
} from '../observer.ts';
import { callOutcomeOf } from '../observer.ts';
import {
  errorType,
  MAX_NAME_CHARS,
  operationOf,
  providerName,
  requestAttributes,
  responseAttributes,
  routeOf,
} from './gen-ai.ts';
import { type Attributes, nanosOf, wireAttributes } from './wire.ts';

/** One attempt, from the moment the upstream request started. */
export interface AttemptSpan {
  readonly spanId: string;
  readonly channel: ObservedChannel;
  readonly upstreamModel: string;
  readonly atMs: number;
  readonly server: { readonly address: string | undefined; readonly port: number | undefined };
}

export interface SpanContext {
  readonly traceId: string;
  /** Id of the client's span. */
  readonly parentId: string | undefined;
  readonly traceState: string;
}

export interface TracedCall {
  readonly context: SpanContext;
  /** Id of the call's own span. */
  readonly spanId: string;
  readonly attemptSpans: readonly AttemptSpan[];
  readonly response: ResponseDetails;
}

export const SPAN_KIND = { server: 2, client: 3 };
const ERROR_STATUS = 2;

export interface Settled {
  readonly atMs: number;
  readonly units: number;
}

export function otlpSpansOf(end: ObservedEnd, traced: TracedCall, settled: Settled): OtlpSpan[] {
  return [
    callSpan(end, traced, settled),
    ...traced.attemptSpans.map((_, at) => attemptSpan(end, traced, at, settled)),
  ];
}

function callSpan(end: ObservedEnd, traced: TracedCall, { atMs, units }: Settled): OtlpSpan {
  const { incoming, intent, attempts } = end.call;
  const outcome = callOutcomeOf(end);
  const isBad = outcome === 'failed' || outcome === 'upstream_broke';
  const last = attempts.at(-1);
  const route = routeOf(incoming);
  const name = `${incoming.method} ${route}`;
  const span = {
    name,
    kind: SPAN_KIND.server,
    fromMs: incoming.receivedAtMs,
    untilMs: atMs,
    isBad,
  };
  return spanOf(
    traced.context,
    { ...span, spanId: traced.spanId },
    {
      'http.request.method': incoming.method,
      'http.route': route,
      'gen_ai.operation.name': operationOf(incoming.endpoint),
      'gen_ai.request.model': intent.model.slice(0, MAX_NAME_CHARS),
      'gateway.request_id': incoming.requestId,
      'gateway.outcome': end.inBackground ? 'background' : outcome,
      'gateway.stream': intent.stream,
      'gateway.attempts': attempts.length,
      'gateway.quota': units,
      'error.type': isBad && last !== undefined ? errorType(last) : undefined,
    },
  );
}

function attemptSpan(end: ObservedEnd, traced: TracedCall, at: number, settled: Settled): OtlpSpan {
  const { call } = end;
  const started = traced.attemptSpans[at] as AttemptSpan; // `at` is in range
  // The last attempt has no record if the client disconnected or the gateway refused midway.
  const attempt: ObservedAttempt | undefined = call.attempts[at];
  const isLast = at === traced.attemptSpans.length - 1;
  const isGood = attempt?.code === '';
  const untilMs =
    attempt === undefined || (isLast && isGood) ? settled.atMs : started.atMs + attempt.duration_ms;
  const { server, channel, upstreamModel } = started;
  const isBad = attempt !== undefined && !isGood;
  const name = `${operationOf(call.incoming.endpoint)} ${upstreamModel.slice(0, MAX_NAME_CHARS)}`;
  const span = { name, kind: SPAN_KIND.client, fromMs: started.atMs, untilMs, isBad };
  return spanOf(
    traced.context,
    { ...span, spanId: started.spanId, parentId: traced.spanId },
    {
      ...requestAttributes(call),
      'gen_ai.provider.name': providerName(channel.type),
      'gen_ai.request.model': upstreamModel.slice(0, MAX_NAME_CHARS),
      ...(isLast ? responseAttributes(end, traced.response) : {}),
      'server.address': server.address,
      'server.port': server.address === undefined ? undefined : server.port,
      'http.response.status_code': attempt?.status || undefined,
      'error.type': isBad ? errorType(attempt) : undefined,
      'gateway.request_id': call.incoming.requestId,
      'gateway.channel.id': channel.id,
    },
  );
}

interface SpanFields {
  readonly spanId: string;
  /** Default: the client's span. */
  readonly parentId?: string;
  readonly name: string;
  readonly kind: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly isBad: boolean;
}

/** In OTLP's form; times are epoch nanoseconds as text. */
export type OtlpSpan = ReturnType<typeof spanOf>;

export function spanOf(
  { traceId, traceState, parentId: ofClient }: SpanContext,
  { spanId, parentId = ofClient, name, kind, fromMs, untilMs, isBad }: SpanFields,
  attributes: Attributes,
) {
  return {
    traceId,
    spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    ...(traceState === '' ? {} : { traceState }),
    name,
    kind,
    startTimeUnixNano: nanosOf(fromMs),
    endTimeUnixNano: nanosOf(Math.max(fromMs, untilMs)),
    attributes: wireAttributes(attributes),
    status: isBad ? { code: ERROR_STATUS } : {},
  };
}
