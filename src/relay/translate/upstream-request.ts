/**
 * Builds the request of one attempt: the channel's URL and key, and the client's body with as few
 * changes as possible.
 */

import type { Awaitable } from '../../domain/awaitable.ts';
import { memoizePerObject } from '../../domain/memoize-per-object.ts';
import { buildRequest } from '../../providers/requests/openai-request.ts';
import type { ProviderEndpoint } from '../../providers/rows/provider-row.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import { isUpstreamStream, upstreamEndpoint } from '../call/call-facts.ts';
import type { Routed } from '../call/call-stages.ts';
import { apiVersionOf } from '../call/channel-provider.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';
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
  return signRequest(
    { body, ...address, headers },
    {
      nowMs: relay.ctx.now(),
      tokenUrl: relay.ctx.config.googleTokenUrl,
      send: (question) => sendThrough(relay.pools, relay.ctx, choice.channel, question),
    },
  );
}

type Address = Omit<SignableRequest, 'body'>;

/**
 * Cache of URLs per channel entry. Safe, because editing a channel creates a new entry. Bounded by
 * `MAX_KEPT` per channel.
 */
const addressesOf = memoizePerObject((_channel: ChannelEntry) => new Map<string, Address>());
const MAX_KEPT = 500;

const STREAM_KINDS = 'text/event-stream, application/vnd.amazon.eventstream, application/json';

function addressFor(relay: Ports<'ctx'>, call: Routed, choice: Choice): Address {
  const { channel, key } = choice;
  const { incoming, intent, plan, upstreamModel } = call;
  const siteUrl = relay.ctx.options().get('ServerAddress');
  const version = incoming.query['api-version'] ?? '';
  const apiVersion = apiVersionOf(relay.ctx, channel, upstreamModel);
  const endpoint = upstreamEndpoint(call);
  const { pathTail = '', dialect = 'chat' } = incoming;
  const stream = isUpstreamStream(call);
  const models = [intent.model, upstreamModel];
  const facts = [dialect, endpoint, pathTail, stream, key.id, version, siteUrl, ...models];
  const name = [...facts, apiVersion].join(' ');
  const kept = addressesOf(channel);
  const known = kept.get(name);
  if (known !== undefined) return known;
  const request = buildRequest({
    provider: plan.provider,
    baseUrl: channel.baseUrl,
    key: key.key,
    other: channel.other,
    organization: channel.organization,
    endpoint,
    ...(pathTail === '' ? {} : { pathTail: [pathTail] }),
    model: upstreamModel,
    clientModel: intent.model,
    stream,
    apiVersion,
    azureApiVersion: relay.ctx.config.azureApiVersion,
    clientQuery: incoming.query,
    channelCreatedAtSec: channel.createdAtSec,
    siteUrl,
  });
  const address = {
    method: request.method,
    origin: request.url.origin,
    path: request.url.path,
    headers: {
      ...request.headers,
      accept: acceptedOf(endpoint, stream),
      // A compressed answer would have to be decompressed to read its usage.
      'accept-encoding': 'identity',
    },
    ...(request.credentials === undefined ? {} : { credentials: request.credentials }),
  };
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(name, address);
  return address;
}

/** Endpoints whose answers may also be audio or plain text. */
const ANY_TYPE: ReadonlySet<ProviderEndpoint> = new Set([
  'speech',
  'transcriptions',
  'translations',
]);

function acceptedOf(endpoint: ProviderEndpoint, stream: boolean): string {
  if (ANY_TYPE.has(endpoint)) return '*/*';
  return stream ? STREAM_KINDS : 'application/json';
}

/** In the upstream's dialect, if that is not OpenAI's. */
function messageFor(relay: Ports<'ctx'>, call: Routed): Awaitable<SentBody> {
  const { pair } = call.plan;
  return pair === undefined ? endpointBody(relay, call) : dialectMessage(relay, call, pair);
}
