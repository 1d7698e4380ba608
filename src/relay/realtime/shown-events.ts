/** What the client of a Realtime session sees of its upstream, and of errors of the gateway. */
import {
  errorEvent,
  type RealtimeEvent,
  sessionModel,
  withSessionModel,
} from '../../dialects/openai/endpoints/realtime.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { objectIn } from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { Routed } from '../call/admitted.ts';
import { clientModel } from '../call/call-facts.ts';
import { callerLanguage } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { brokenUpstream, shownError } from '../failures/upstream-failures.ts';
import { hideKeys } from '../http/redact-repeated-keys.ts';
import { openAiErrorOf } from '../translate/error-response.ts';

/** Id of the gateway's own events. */
export function eventIdOf({ incoming }: Routed): string {
  return `evt_${incoming.requestId}`;
}

/** The text of an upstream event as the client gets it. */
export function shownEvent(relay: Ports<'ctx'>, call: Routed, event: RealtimeEvent): string {
  if (isSessionEvent(event)) return withClientModel(call, event).text;
  return event.type === 'error'
    ? shownUpstreamError(relay, call, event)
    : hideKeys(event.text, call.route.channel.keys);
}

/** Whether the event tells the settings of the session. */
export function isSessionEvent({ type }: RealtimeEvent): boolean {
  return type === 'session.created' || type === 'session.updated';
}

function withClientModel(call: Routed, event: RealtimeEvent): RealtimeEvent {
  const model = clientModel(call);
  const isNamed = model !== undefined && sessionModel(event) === call.route.upstreamModel;
  return isNamed ? withSessionModel(event, model) : event;
}

function shownUpstreamError(
  relay: Ports<'ctx'>,
  call: Routed,
  { text, json }: RealtimeEvent,
): string {
  if (!hidesErrors(relay)) return hideKeys(text, call.route.channel.keys);
  const error = errorInSuccess(json) ?? brokenUpstream(new AppError('upstream_garbled'));
  const shown = shownError(relay, call, error, error.status);
  return errorEvent(eventIdOf(call), shown, objectIn(json, 'error')?.event_id);
}

/** The reason with which an upstream closed the connection. */
export function shownReason(relay: Ports<'ctx'>, call: Routed, reason: string): string {
  return hidesErrors(relay) ? '' : hideKeys(reason, call.route.channel.keys);
}

function hidesErrors({ ctx }: Ports<'ctx'>): boolean {
  return ctx.options().get('global.hide_upstream_error_enabled');
}

/** An error of the gateway as an event; `about`: the id of the client event that caused it. */
export function gatewayError(
  relay: Ports<'ctx'>,
  call: Routed,
  thrown: unknown,
  about?: string,
): string {
  const { incoming } = call;
  const { requestId } = incoming;
  const reader = { requestId, language: callerLanguage(incoming), log: relay.ctx.log };
  return errorEvent(eventIdOf(call), openAiErrorOf(thrown, reader).body.error, about);
}
