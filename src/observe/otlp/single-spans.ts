/**
 * Spans without child spans per attempt: the submission of a task, and a response of a Realtime
 * session, whose upstream was contacted when the session was opened.
 */
import {
  type CallOutcome,
  callOutcomeOf,
  type ObservedChannel,
  type ObservedEnd,
  type ObservedTask,
} from '../observer.ts';
import {
  errorType,
  MAX_NAME_CHARS,
  operationOf,
  providerName,
  responseAttributes,
} from './gen-ai.ts';
import { type OtlpSpan, type Settled, SPAN_KIND, type SpanContext, spanOf } from './spans.ts';
import { newSpanId } from './trace-context.ts';
import type { Attributes } from './wire.ts';

export interface UpstreamServer {
  readonly address: string | undefined;
  readonly port: number | undefined;
}

interface SpanParts {
  readonly context: SpanContext;
  readonly server: UpstreamServer;
  readonly settled: Settled;
}

/** Undefined when nothing happened, as when an idle session returns its hold. */
export function responseSpan(
  end: ObservedEnd,
  { context, server, settled }: SpanParts,
): OtlpSpan | undefined {
  const { call } = end;
  const { incoming, attempts, intent } = call;
  const { channel, upstreamModel } = call.route;
  const outcome = callOutcomeOf(end);
  if (outcome === undefined) return undefined;
  const isBad = outcome === 'failed' || outcome === 'upstream_broke';
  const last = attempts.at(-1);
  const model = (upstreamModel || intent.model).slice(0, MAX_NAME_CHARS);
  const operation = operationOf(incoming.endpoint);
  const name = `${operation} ${model}`;
  const times = { fromMs: incoming.receivedAtMs, untilMs: settled.atMs };
  return spanOf(
    context,
    { spanId: newSpanId(), name, kind: SPAN_KIND.client, ...times, isBad },
    {
      'gen_ai.operation.name': operation,
      'gen_ai.request.model': model,
      ...channelAttributes(channel, server),
      ...responseAttributes(end, {}),
      'gateway.request_id': incoming.requestId,
      'gateway.session_id': incoming.sessionId ?? incoming.requestId,
      'gateway.outcome': outcome,
      'gateway.quota': settled.units,
      'error.type': isBad && last !== undefined ? errorType(last) : undefined,
    },
  );
}

export function taskSpan(
  task: ObservedTask,
  isAccepted: boolean,
  { context, server, settled }: SpanParts,
): OtlpSpan {
  const { incoming, attempts, channel, plan } = task;
  const last = attempts.at(-1);
  const isBad = !isAccepted && last !== undefined;
  const model = plan.model.slice(0, MAX_NAME_CHARS);
  const times = { fromMs: incoming.receivedAtMs, untilMs: settled.atMs };
  return spanOf(
    context,
    { spanId: newSpanId(), name: `task ${model}`, kind: SPAN_KIND.server, ...times, isBad },
    {
      'http.request.method': incoming.method,
      'gen_ai.operation.name': 'task',
      'gen_ai.request.model': model,
      ...channelAttributes(channel, server),
      'gateway.request_id': incoming.requestId,
      'gateway.task.action': plan.action.slice(0, MAX_NAME_CHARS),
      'gateway.outcome': taskOutcome(isAccepted, isBad),
      'gateway.attempts': attempts.length,
      'gateway.quota': settled.units,
      'http.response.status_code': last?.status || undefined,
      'error.type': isBad ? errorType(last) : undefined,
    },
  );
}

function taskOutcome(isAccepted: boolean, isBad: boolean): CallOutcome {
  if (isAccepted) return 'answered';
  return isBad ? 'failed' : 'refused';
}

function channelAttributes(
  channel: ObservedChannel | undefined,
  server: UpstreamServer,
): Attributes {
  if (channel === undefined) return {};
  return {
    'gen_ai.provider.name': providerName(channel.type),
    'gateway.channel.id': channel.id,
    'server.address': server.address,
    'server.port': server.address === undefined ? undefined : server.port,
  };
}
