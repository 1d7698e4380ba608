/** Builds the upstream request when the client's or the upstream's dialect is not OpenAI's chat. */
import type { Context } from '../../context.ts';
import { UPSTREAM_DIALECTS } from '../../dialects/all.ts';
import { defaultMaxTokens } from '../../dialects/anthropic/thinking.ts';
import type { RequestTarget, UpstreamDialect } from '../../dialects/hub/dialect.ts';
import {
  type FetchedMedia,
  remoteMediaUrls,
  withFetchedMedia,
} from '../../dialects/hub/request/media.ts';
import { type HubRequest, withoutVendorThinking } from '../../dialects/hub/request/request.ts';
import { withParamOverride } from '../../dialects/openai/param-override.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { shapeBody } from '../../providers/requests/shape-body.ts';
import type { ProviderRow } from '../../providers/rows/provider-row.ts';
import { providerFamilyOf, transportOf } from '../../providers/transports/all.ts';
import type { HeaderLines, UpstreamPayload } from '../../providers/transports/transport.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import { guardedFetch } from '../../services/network/egress.ts';
import { lengthOf, type WrittenJson, writeEdited, writeJson } from '../body/write-json.ts';
import { appUser } from '../call/app-user.ts';
import type { JsonObject } from '../call/call-intent.ts';
import { type CallRecord, isUpstreamStream, type NamedThinking } from '../call/call-record.ts';
import { providerFor } from '../call/channel-provider.ts';
import {
  type DialectPair,
  dialectPairOf,
  requestOf,
  upstreamDialect,
} from '../call/dialect-pair.ts';
import { pricedBody, pricedRequest } from '../call/service-tier.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import { chatTarget } from './chat-target.ts';

interface Named {
  readonly model: string;
  readonly thinking: NamedThinking | undefined;
}

/** The upstream's model name, split from a suffix that sets the thinking. */
export function readNamed(
  ctx: Pick<Context, 'options'>,
  channel: ChannelEntry,
  name: string,
  maxTokens: number | undefined,
): Named {
  const dialect = UPSTREAM_DIALECTS[upstreamDialect(providerFor(channel), name)];
  const thinking = dialect.readThinkingName?.(ctx.options(), name, maxTokens);
  if (thinking !== undefined) return { model: thinking.model, thinking };
  return { model: name, thinking: undefined };
}

/** Headers specific to the dialect. */
function dialectHeaders(
  relay: Relay,
  { incoming, intent }: CallRecord,
  { upstream, isSame }: DialectPair,
): HeaderLines {
  const sent = isSame ? incoming.headers : undefined;
  return upstream.requestHeaders?.(relay.ctx.options(), intent.model, sent) ?? {};
}

/** The request without its URL: the dialect's headers, and the body as it is sent. */
export interface DialectMessage {
  readonly headers: HeaderLines;
  readonly body: WrittenJson;
}

/** @throws AppError field_wrong for a field that this upstream does not support. */
export function dialectMessage(
  relay: Relay,
  record: CallRecord,
  pair: DialectPair,
  channel: ChannelEntry,
): Awaitable<DialectMessage> {
  const { intent } = record;
  const payload = {
    headers: dialectHeaders(relay, record, pair),
    body: pair.isSame
      ? forwardedBody(relay, record, pair, channel)
      : translatedBody(relay, record, pair, channel),
  };
  const provider = providerFor(channel, record.incoming.dialect);
  const { headers, body } = wrapPayload(provider, record.upstreamModel, payload);
  const isPlain = pair.isSame && isPassThrough(relay, channel);
  const last = isPlain ? body : overridden(body, channel);
  const written = pair.isSame ? writeEdited(intent, last) : writeJson(intent, last);
  const messageOf = (body: WrittenJson) => ({ headers: { ...headers, ...lengthOf(body) }, body });
  return written instanceof Promise ? written.then(messageOf) : messageOf(written);
}

/** The body in the envelope that the provider requires. */
export function wrapPayload(
  provider: ProviderRow,
  model: string,
  payload: UpstreamPayload,
): UpstreamPayload {
  const family = providerFamilyOf(provider, model);
  return transportOf(provider).wrap?.(payload, family) ?? payload;
}

function isPassThrough(relay: Relay, { setting }: ChannelEntry): boolean {
  return setting.passThroughBody || relay.ctx.options().get('global.pass_through_request_enabled');
}

function overridden(body: JsonObject, { paramOverride }: ChannelEntry): JsonObject {
  return paramOverride === undefined ? body : withParamOverride(body, paramOverride);
}

function forwardedBody(
  relay: Relay,
  record: CallRecord,
  { client }: DialectPair,
  channel: ChannelEntry,
): JsonObject {
  const { upstreamModel, named: thinking, media, dropsEncryptedReasoning } = record;
  const { forwarding } = client;
  const body = pricedBody(record);
  const named = forwarding.bodyNamesModel ? withModel(body, upstreamModel) : body;
  if (isPassThrough(relay, channel)) return named;
  const { systemPrompt } = channel;
  const changes = {
    upstreamModel,
    systemPrompt,
    thinking,
    media,
    dropsProofs: dropsEncryptedReasoning,
  };
  return shapedFor(client.bodyRules, forwarding.request(named, changes), record, channel);
}

function withModel(body: JsonObject, model: string): JsonObject {
  return body.model === model ? body : { ...body, model };
}

function translatedBody(
  relay: Relay,
  record: CallRecord,
  { upstream }: DialectPair,
  channel: ChannelEntry,
): JsonObject {
  const provider = providerFor(channel, record.incoming.dialect);
  const target = targetFor(relay, record, channel, provider);
  const written = upstream.writeRequest(shapedRequest(record, channel), target);
  return shapedFor(upstream.bodyRules, written, record, channel);
}

/** The provider's own body rules, if they apply to the dialect. */
function shapedFor(
  endpoint: UpstreamDialect['bodyRules'],
  body: JsonObject,
  record: CallRecord,
  channel: ChannelEntry,
): JsonObject {
  if (endpoint === undefined) return body;
  const { incoming, upstreamModel } = record;
  const shaped = shapeBody(providerFor(channel, incoming.dialect), endpoint, body, {
    upstreamModel,
    stream: isUpstreamStream(record, channel),
    isListed: channel.models.has(upstreamModel),
  });
  return shaped === 'unchanged' ? body : shaped;
}

/** The upstream request in the hub's form. */
export function shapedRequest(record: CallRecord, { systemPrompt }: ChannelEntry): HubRequest {
  const { named, media, dropsEncryptedReasoning } = record;
  const priced = pricedRequest(record, requestOf(record));
  const readable = dropsEncryptedReasoning ? withoutVendorThinking(priced, 'openai') : priced;
  const request = media === undefined ? readable : withFetchedMedia(readable, media);
  const own = systemPrompt === '' ? [] : [{ kind: 'text', text: systemPrompt } as const];
  return {
    ...request,
    system: [...own, ...request.system],
    ...(named === undefined ? {} : { reasoning: named.reasoning }),
    ...(named?.maxTokens === undefined ? {} : { maxTokens: named.maxTokens }),
  };
}

function targetFor(
  relay: Relay,
  record: CallRecord,
  channel: ChannelEntry,
  provider: ProviderRow,
): RequestTarget {
  const { upstreamModel, signatures, uploads } = record;
  const options = relay.ctx.options();
  const baseUrl = channel.baseUrl === '' ? provider.baseUrl : channel.baseUrl;
  return {
    model: upstreamModel,
    stream: isUpstreamStream(record, channel),
    app: {
      other: channel.other,
      user: appUser(record),
      uploadedId: (source) => uploads?.get(source),
    },
    chat: chatTarget(provider, baseUrl, upstreamModel),
    anthropic: { defaultMaxTokens: defaultMaxTokens(options, upstreamModel) },
    gemini: {
      safety: options.get('gemini.safety_settings'),
      outputsImages: options.get('gemini.supported_imagine_models').includes(upstreamModel),
      signatureOf: (callId) => signatures?.get(callId),
    },
  };
}

/** API version in the path of a Gemini call: the channel's, else the operator's for this model. */
export function apiVersionOf(
  ctx: Pick<Context, 'options'>,
  channel: ChannelEntry,
  model: string,
): string | undefined {
  const { family, transport } = providerFor(channel);
  if (family !== 'gemini' || transport !== 'plain') return undefined;
  if (channel.other !== '') return channel.other;
  const versions = ctx.options().get('gemini.version_settings');
  return versions[model] ?? versions.default;
}

/** Total for one call; no cloud accepts more in a request. */
const MAX_MEDIA_BYTES = 20 * 1024 * 1024;

/**
 * Fetches media URLs that the upstream does not download itself: Google supports few, models at
 * other clouds and local servers none. Fetches once per call, one after the other, within one limit
 * for all.
 * @throws AppError fetch_refused, fetch_failed
 */
export function fetchMedia(relay: Relay, record: CallRecord): Awaitable<void> {
  const { channel, incoming } = record;
  if (channel === undefined || record.media !== undefined || incoming.endpoint !== 'chat') return;
  const pair = dialectPairOf(record);
  const isBytesOnly = takesBytesOnly(record, channel);
  const readsMediaAt = isBytesOnly || pair?.isSame ? undefined : pair?.upstream.readsMediaAt;
  if (!isBytesOnly && readsMediaAt === undefined) return;
  const urls = remoteMediaUrls(requestOf(record)).filter((url) => !readsMediaAt?.(url));
  return fetchAll(relay, record, urls);
}

async function fetchAll(relay: Relay, record: CallRecord, urls: readonly string[]): Promise<void> {
  const media = new Map<string, FetchedMedia>();
  let maxBytes = MAX_MEDIA_BYTES;
  for (const url of urls) {
    const { headers, bytes } = await guardedFetch(relay.ctx, url, { maxBytes });
    const mediaType = (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
    media.set(url, { mediaType, data: bytes.toString('base64') });
    maxBytes -= bytes.length;
  }
  record.media = media;
}

function takesBytesOnly({ incoming, upstreamModel }: CallRecord, channel: ChannelEntry): boolean {
  const provider = providerFor(channel, incoming.dialect);
  if (provider.mediaAsBytes) return true;
  const families = transportOf(provider).bytesOnly ?? [];
  return families.includes(providerFamilyOf(provider, upstreamModel));
}
