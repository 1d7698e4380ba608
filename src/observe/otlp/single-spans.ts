/**
 * Spans without child spans per attempt: the submission of a task, and a response of a Realtime
 * session, whose upstream was contacted when the session was opened.
 */
import {
  type ObservedCall,
  type ObservedChannel,
  type ObservedTask,
  type Outcome,
  outcomeOf,
} from '../observer.ts';
import {
  answerAttributes,
  errorType,
  MAX_NAME_CHARS,
  operationOf,
  providerName,
} from './gen-ai.ts';
import { type End, FAILED, KIND, placeOf, type Span } from './spans.ts';
import { newSpanId } from './trace-context.ts';
import { type Attributes, nanosOf, wireAttributes } from './wire.ts';

/** Trace context of a span that is created when its work is over. */
export interface Place {
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly state: string;
}

export interface Server {
  readonly address: string | undefined;
  readonly port: number | undefined;
}

interface Drawn {
  readonly place: Place;
  readonly server: Server;
  readonly end: End;
}

/** Undefined when nothing happened, as when an idle session returns its hold. */
export function responseSpan(call: ObservedCall, { place, server, end }: Drawn): Span | undefined {
  const { incoming, attempts, channel, upstreamModel, intent } = call;
  const outcome = outcomeOf(call);
  if (outcome === undefined) return undefined;
  const isBad = outcome === 'failed' || outcome === 'upstream_broke';
  const last = attempts.at(-1);
  const model = (upstreamModel || intent.model).slice(0, MAX_NAME_CHARS);
  const operation = operationOf(incoming.endpoint);
  return spanOf(
    place,
    {
      name: `${operation} ${model}`,
      kind: KIND.client,
      beganAtMs: incoming.receivedAtMs,
      end,
      isBad,
    },
    {
      'gen_ai.operation.name': operation,
      'gen_ai.request.model': model,
      ...channelAttributes(channel, server),
      ...answerAttributes(call, {}),
      'gateway.request_id': incoming.requestId,
      'gateway.session_id': incoming.sessionId ?? incoming.requestId,
      'gateway.outcome': outcome,
      'gateway.quota': end.units,
      'error.type': isBad && last !== undefined ? errorType(last) : undefined,
    },
  );
}

export function taskSpan(
  task: ObservedTask,
  isTaken: boolean,
  { place, server, end }: Drawn,
): Span {
  const { incoming, attempts, channel, plan } = task;
  const last = attempts.at(-1);
  const isBad = !isTaken && last !== undefined;
  const model = plan.model.slice(0, MAX_NAME_CHARS);
  return spanOf(
    place,
    { name: `task ${model}`, kind: KIND.server, beganAtMs: incoming.receivedAtMs, end, isBad },
    {
      'http.request.method': incoming.method,
      'gen_ai.operation.name': 'task',
      'gen_ai.request.model': model,
      ...channelAttributes(channel, server),
      'gateway.request_id': incoming.requestId,
      'gateway.task.action': plan.action.slice(0, MAX_NAME_CHARS),
      'gateway.outcome': outcomeOfTask(isTaken, isBad),
      'gateway.attempts': attempts.length,
      'gateway.quota': end.units,
      'http.response.status_code': last?.status || undefined,
      'error.type': isBad ? errorType(last) : undefined,
    },
  );
}

function outcomeOfTask(isTaken: boolean, isBad: boolean): Outcome {
  if (isTaken) return 'answered';
  return isBad ? 'failed' : 'refused';
}

function channelAttributes(channel: ObservedChannel | undefined, server: Server): Attributes {
  if (channel === undefined) return {};
  return {
    'gen_ai.provider.name': providerName(channel.type),
    'gateway.channel.id': channel.id,
    'server.address': server.address,
    'server.port': server.address === undefined ? undefined : server.port,
  };
}

interface Frame {
  readonly name: string;
  readonly kind: number;
  readonly beganAtMs: number;
  readonly end: End;
  readonly isBad: boolean;
}

function spanOf(
  place: Place,
  { name, kind, beganAtMs, end, isBad }: Frame,
  attributes: Attributes,
): Span {
  return {
    ...placeOf(place, newSpanId(), place.parentId),
    name,
    kind,
    startTimeUnixNano: nanosOf(beganAtMs),
    endTimeUnixNano: nanosOf(Math.max(beganAtMs, end.atMs)),
    attributes: wireAttributes(attributes),
    status: isBad ? { code: FAILED } : {},
  };
}
