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
import { nanosOf, wireAttributes } from './wire.ts';

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

/** In OTLP's form; times are epoch nanoseconds as text. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly object[];
  readonly status: { readonly code?: number };
}

export const SPAN_KIND = { server: 2, client: 3 };
export const ERROR_STATUS = 2;

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
  return {
    ...spanContextFields(traced.context, traced.spanId, traced.context.parentId),
    name: `${incoming.method} ${route}`,
    kind: SPAN_KIND.server,
    startTimeUnixNano: nanosOf(incoming.receivedAtMs),
    endTimeUnixNano: nanosOf(Math.max(incoming.receivedAtMs, atMs)),
    attributes: wireAttributes({
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
    }),
    status: isBad ? { code: ERROR_STATUS } : {},
  };
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
  const isFailed = attempt !== undefined && !isGood;
  return {
    ...spanContextFields(traced.context, started.spanId, traced.spanId),
    name: `${operationOf(call.incoming.endpoint)} ${upstreamModel.slice(0, MAX_NAME_CHARS)}`,
    kind: SPAN_KIND.client,
    startTimeUnixNano: nanosOf(started.atMs),
    endTimeUnixNano: nanosOf(Math.max(started.atMs, untilMs)),
    attributes: wireAttributes({
      ...requestAttributes(call),
      'gen_ai.provider.name': providerName(channel.type),
      'gen_ai.request.model': upstreamModel.slice(0, MAX_NAME_CHARS),
      ...(isLast ? responseAttributes(end, traced.response) : {}),
      'server.address': server.address,
      'server.port': server.address === undefined ? undefined : server.port,
      'http.response.status_code': attempt?.status || undefined,
      'error.type': isFailed ? errorType(attempt) : undefined,
      'gateway.request_id': call.incoming.requestId,
      'gateway.channel.id': channel.id,
    }),
    status: isFailed ? { code: ERROR_STATUS } : {},
  };
}

export function spanContextFields(
  { traceId, traceState }: SpanContext,
  spanId: string,
  parent: string | undefined,
) {
  return {
    traceId,
    spanId,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    ...(traceState === '' ? {} : { traceState }),
  };
}
