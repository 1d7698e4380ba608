/** Repeats a request as chat if the upstream's server turns out to lack the Responses API. */
import type { UpstreamError } from '../../../upstream-errors/upstream-error.ts';
import type { Routed } from '../../call/admitted.ts';
import { isStoredUpstream, nativeField } from '../../call/call-facts.ts';
import { routePlan } from '../../call/route-plan.ts';
import type { UpstreamFailure } from '../../failures/failed-attempt.ts';
import { markChatOnly } from '../../routing/responses-api.ts';

/** Undefined for a request that only the Responses API can serve, and for other failures. */
export function requestAsChat(call: Routed, { upstream }: UpstreamFailure): Routed | undefined {
  if (!isStoredUpstream(call) || nativeField(call) !== undefined) return undefined;
  if (!lacksEndpoint(call, upstream)) return undefined;
  const { incoming } = call;
  const { channel, plan } = call.route;
  markChatOnly(channel);
  const asChat = routePlan(channel, incoming, 'chat', plan.model);
  return { ...call, route: { ...call.route, plan: asChat } };
}

const OPENAI_HOST = /^https:\/\/api\.openai\.com(\/|$)/;
/** Words in a 404 that is not about the URL. */
const OTHER_THING = /\b(model|deployment|item|file|vector|container|previous)\b/i;

function lacksEndpoint(
  { route: { channel, plan } }: Routed,
  { status, code, message }: UpstreamError,
): boolean {
  const baseUrl = channel.baseUrl || plan.provider.baseUrl;
  if (OPENAI_HOST.test(baseUrl)) return false;
  if (status === 405 || status === 501) return true;
  return status === 404 && code !== 'model_not_found' && !OTHER_THING.test(message);
}
