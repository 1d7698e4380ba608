/** Builds the OTLP spans of a call that has ended. */
import type { ObservedAttempt, ObservedCall, ObservedChannel, SaidOfAnswer } from '../observer.ts';
import { outcomeOf } from '../observer.ts';
import {
  answerAttributes,
  errorType,
  MAX_NAME_CHARS,
  operationOf,
  providerName,
  requestAttributes,
  routeOf,
} from './gen-ai.ts';
import { nanosOf, wireAttributes } from './wire.ts';

/** One attempt, from the moment the upstream request started. */
export interface Asked {
  readonly spanId: string;
  readonly channel: ObservedChannel;
  readonly upstreamModel: string;
  readonly atMs: number;
  readonly server: { readonly address: string | undefined; readonly port: number | undefined };
}

export interface Traced {
  readonly traceId: string;
  /** Id of the call's own span. */
  readonly spanId: string;
  /** Id of the client's span. */
  readonly parentId: string | undefined;
  readonly state: string;
  readonly asks: readonly Asked[];
  readonly answer: SaidOfAnswer;
}

/** In OTLP's form; times are epoch nanoseconds as text. */
export interface Span {
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

export const KIND = { server: 2, client: 3 };
export const FAILED = 2;

export interface End {
  readonly atMs: number;
  readonly units: number;
}

export function spansOf(call: ObservedCall, traced: Traced, end: End): Span[] {
  return [
    callSpan(call, traced, end),
    ...traced.asks.map((_, at) => askSpan(call, traced, at, end)),
  ];
}

function callSpan(call: ObservedCall, traced: Traced, { atMs, units }: End): Span {
  const { incoming, intent, attempts } = call;
  const outcome = outcomeOf(call);
  const isBad = outcome === 'failed' || outcome === 'upstream_broke';
  const last = attempts.at(-1);
  const route = routeOf(incoming);
  return {
    ...placeOf(traced, traced.spanId, traced.parentId),
    name: `${incoming.method} ${route}`,
    kind: KIND.server,
    startTimeUnixNano: nanosOf(incoming.receivedAtMs),
    endTimeUnixNano: nanosOf(Math.max(incoming.receivedAtMs, atMs)),
    attributes: wireAttributes({
      'http.request.method': incoming.method,
      'http.route': route,
      'gen_ai.operation.name': operationOf(incoming.endpoint),
      'gen_ai.request.model': intent.model.slice(0, MAX_NAME_CHARS),
      'gateway.request_id': incoming.requestId,
      'gateway.outcome': call.inBackground ? 'background' : outcome,
      'gateway.stream': intent.stream,
      'gateway.attempts': attempts.length,
      'gateway.quota': units,
      'error.type': isBad && last !== undefined ? errorType(last) : undefined,
    }),
    status: isBad ? { code: FAILED } : {},
  };
}

function askSpan(call: ObservedCall, traced: Traced, at: number, end: End): Span {
  const asked = traced.asks[at] as Asked; // `at` is in range
  // The last attempt has no record if the client disconnected or the gateway refused midway.
  const attempt: ObservedAttempt | undefined = call.attempts[at];
  const isLast = at === traced.asks.length - 1;
  const isGood = attempt?.code === '';
  const untilMs =
    attempt === undefined || (isLast && isGood) ? end.atMs : asked.atMs + attempt.duration_ms;
  const { server, channel, upstreamModel } = asked;
  const isFailed = attempt !== undefined && !isGood;
  return {
    ...placeOf(traced, asked.spanId, traced.spanId),
    name: `${operationOf(call.incoming.endpoint)} ${upstreamModel.slice(0, MAX_NAME_CHARS)}`,
    kind: KIND.client,
    startTimeUnixNano: nanosOf(asked.atMs),
    endTimeUnixNano: nanosOf(Math.max(asked.atMs, untilMs)),
    attributes: wireAttributes({
      ...requestAttributes(call),
      'gen_ai.provider.name': providerName(channel.type),
      'gen_ai.request.model': upstreamModel.slice(0, MAX_NAME_CHARS),
      ...(isLast ? answerAttributes(call, traced.answer) : {}),
      'server.address': server.address,
      'server.port': server.address === undefined ? undefined : server.port,
      'http.response.status_code': attempt?.status || undefined,
      'error.type': isFailed ? errorType(attempt) : undefined,
      'gateway.request_id': call.incoming.requestId,
      'gateway.channel.id': channel.id,
    }),
    status: isFailed ? { code: FAILED } : {},
  };
}

export function placeOf(
  { traceId, state }: Pick<Traced, 'traceId' | 'state'>,
  spanId: string,
  parent: string | undefined,
) {
  return {
    traceId,
    spanId,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    ...(state === '' ? {} : { traceState: state }),
  };
}
