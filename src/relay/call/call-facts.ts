/** What follows from the values of a call. */

import { clientDialect, UPSTREAM_DIALECTS } from '../../dialects/all.ts';
import type { AnswerIdentity } from '../../dialects/hub/answer/answer-reader.ts';
import { storedStateField } from '../../dialects/responses/forward.ts';
import type { ImageSettings } from '../../domain/pricing/image-factors.ts';
import { textIn } from '../../json/read-json.ts';
import type { ProviderEndpoint } from '../../providers/rows/provider-row.ts';
import type { Admitted, Routed } from './admitted.ts';
import { asksForStream } from './channel-provider.ts';
import type { Route } from './route.ts';

/** The client's name for the model, if the upstream's name differs. */
export function clientModel(call: Admitted): string | undefined {
  return call.route.upstreamModel === call.intent.model ? undefined : call.intent.model;
}

/** Whether the upstream's token counts are unreliable, so that tokens are counted here. */
export function ignoresUsage({ route: { plan } }: Routed): boolean {
  return plan.provider.streamUsage === 'never';
}

/**
 * The endpoint called at the upstream: some chat models are served by another endpoint, and some
 * other endpoints by chat.
 */
export function upstreamEndpoint({ incoming, route: { plan } }: Admitted): ProviderEndpoint {
  return (plan && UPSTREAM_DIALECTS[plan.dialect].endpoint) ?? incoming.endpoint;
}

/** Whether the upstream stores the answer for later requests. */
export function isStoredUpstream({
  route: { plan },
}: {
  readonly route: Pick<Route, 'plan'>;
}): boolean {
  return plan !== undefined && UPSTREAM_DIALECTS[plan.dialect].keepsAnswers === true;
}

/** Whether the client requests a background response. */
export function asksForBackground({ incoming, intent }: Admitted): boolean {
  return clientDialect(incoming).keepsAnswers === true && intent.body.background === true;
}

/** Whether the upstream request is streamed, regardless of the client's. */
export function isUpstreamStream(call: Routed): boolean {
  const { intent } = call;
  const { channel, plan, upstreamModel } = call.route;
  return asksForStream(plan.provider, channel, {
    endpoint: upstreamEndpoint(call),
    model: upstreamModel,
    stream: intent.stream,
  });
}

/**
 * Whether the event carries side information, such as the progress of a workflow, not the answer.
 */
export function isSideEvent({ route: { plan } }: Routed, event: string): boolean {
  return event !== '' && plan.provider.answerEvents?.includes(event) === false;
}

/** The answer's id, time and model where the upstream sends none. */
export function answerIdentity(call: Admitted): AnswerIdentity {
  const { requestId, endpoint, receivedAtMs } = call.incoming;
  return {
    id: `${endpoint === 'completions' ? 'cmpl' : 'chatcmpl'}-${requestId}`,
    createdSec: Math.floor(receivedAtMs / 1000),
    model: call.intent.model,
  };
}

/** What determines an image's price, under the name that is charged. */
export function imageParams({ intent, route: { price } }: Admitted): ImageSettings {
  const { n } = intent.body;
  return {
    model: price?.name ?? intent.model,
    size: textIn(intent.body, 'size'),
    quality: textIn(intent.body, 'quality'),
    n: typeof n === 'number' ? n : 1,
  };
}

/**
 * The field that refers to data stored by an upstream or needs its native API; undefined for a call
 * that any upstream can serve.
 */
export function nativeField({ incoming, intent }: Admitted): string | undefined {
  if (!clientDialect(incoming).keepsAnswers) return undefined;
  return incoming.pathTail === undefined ? storedStateField(intent.body) : 'compact';
}
