/**
 * Builds the request of one attempt: the channel's URL and key, and the client's body with as few
 * changes as possible.
 */

import type { Awaitable } from '../../domain/awaitable.ts';
import { memoizePerObject } from '../../domain/memoize-per-object.ts';
import { buildRequest } from '../../providers/requests/openai-request.ts';
import type { ProviderEndpoint } from '../../providers/rows/provider-row.ts';
import type { Routed } from '../call/admitted.ts';
import { isUpstreamStream, upstreamEndpoint } from '../call/call-facts.ts';
import { apiVersionOf } from '../call/channel-provider.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { RoutePlan } from '../call/route-plan.ts';
import { sendThrough } from '../http/channel-exchange.ts';
import { type SignableRequest, signRequest } from '../http/sign-request.ts';
import { dialectMessage } from './dialect-request.ts';
import { endpointBody, type SentBody } from './openai-endpoint-request.ts';

/** @throws AppError endpoint_unsupported, channel_unusable, feature_unsupported, upstream_*; what `signRequest` throws. */
export async function upstreamRequest(
  relay: Ports<'ctx' | 'pools'>,
  call: Routed,
  choice: Choice,
): Promise<SignableRequest> {
  const address = addressFor(relay, call, choice);
  const { headers: own, body } = await messageFor(relay, call);
  // The request id identifies the call in the upstream's logs
  // (developers.openai.com/api/reference/overview, "Debugging requests").
  const headers = {
    'x-client-request-id': call.incoming.requestId,
    ...address.headers,
    ...own,
    ...call.trace?.propagationHeaders(),
  };
  const { method, origin, path, credentials } = address;
  return signRequest(
    { method, origin, path, headers, body, credentials },
    {
      nowMs: relay.ctx.now(),
      tokenUrl: relay.ctx.config.googleTokenUrl,
      send: (question) => sendThrough(relay.pools, relay.ctx, choice.channel, question),
    },
  );
}

type Address = Omit<SignableRequest, 'body'>;

/** What an address depends on besides the plan of the route. */
interface AddressFacts {
  readonly clientModel: string;
  readonly pathTail: string;
  readonly stream: boolean;
  readonly key: Choice['key'];
  readonly version: string;
  readonly apiVersion: string | undefined;
  readonly siteUrl: string;
}

interface KeptAddress {
  readonly facts: AddressFacts;
  readonly address: Address;
}

/** Per plan, the last first: nearly all calls of a plan share one of few addresses. */
const addressesOf = memoizePerObject((_plan: RoutePlan): KeptAddress[] => []);
const MAX_KEPT = 16;

function isSame(one: AddressFacts, other: AddressFacts): boolean {
  return (
    one.key === other.key &&
    one.stream === other.stream &&
    one.clientModel === other.clientModel &&
    one.pathTail === other.pathTail &&
    one.version === other.version &&
    one.apiVersion === other.apiVersion &&
    one.siteUrl === other.siteUrl
  );
}

const STREAM_KINDS = 'text/event-stream, application/vnd.amazon.eventstream, application/json';

function addressFor(relay: Ports<'ctx'>, call: Routed, choice: Choice): Address {
  const { incoming, intent } = call;
  const { plan, upstreamModel } = call.route;
  const facts: AddressFacts = {
    clientModel: intent.model,
    pathTail: incoming.pathTail ?? '',
    stream: isUpstreamStream(call),
    key: choice.key,
    version: incoming.query['api-version'] ?? '',
    apiVersion: apiVersionOf(relay.ctx, choice.channel, upstreamModel),
    siteUrl: relay.ctx.options().get('ServerAddress'),
  };
  const kept = addressesOf(plan);
  const known = kept.find((entry) => isSame(entry.facts, facts));
  if (known !== undefined) return known.address;
  const address = buildAddress(relay, call, choice, facts);
  kept.unshift({ facts, address });
  if (kept.length > MAX_KEPT) kept.pop();
  return address;
}

function buildAddress(
  relay: Ports<'ctx'>,
  call: Routed,
  { channel, key }: Choice,
  { clientModel, pathTail, stream, apiVersion, siteUrl }: AddressFacts,
): Address {
  const { incoming } = call;
  const { plan, upstreamModel } = call.route;
  const endpoint = upstreamEndpoint(call);
  const request = buildRequest({
    provider: plan.provider,
    baseUrl: channel.baseUrl,
    key: key.key,
    other: channel.other,
    organization: channel.organization,
    endpoint,
    ...(pathTail === '' ? {} : { pathTail: [pathTail] }),
    model: upstreamModel,
    clientModel,
    stream,
    apiVersion,
    azureApiVersion: relay.ctx.config.azureApiVersion,
    clientQuery: incoming.query,
    channelCreatedAtSec: channel.createdAtSec,
    siteUrl,
  });
  return {
    method: request.method,
    origin: request.url.origin,
    path: request.url.path,
    headers: {
      ...request.headers,
      accept: acceptHeader(endpoint, stream),
      // A compressed answer would have to be decompressed to read its usage.
      'accept-encoding': 'identity',
    },
    credentials: request.credentials,
  };
}

/** Endpoints whose answers may also be audio or plain text. */
const ANY_TYPE: ReadonlySet<ProviderEndpoint> = new Set([
  'speech',
  'transcriptions',
  'translations',
]);

function acceptHeader(endpoint: ProviderEndpoint, stream: boolean): string {
  if (ANY_TYPE.has(endpoint)) return '*/*';
  return stream ? STREAM_KINDS : 'application/json';
}

function messageFor(relay: Ports<'ctx'>, call: Routed): Awaitable<SentBody> {
  const { pair } = call.route.plan;
  return pair === undefined ? endpointBody(relay, call) : dialectMessage(relay, call, pair);
}
