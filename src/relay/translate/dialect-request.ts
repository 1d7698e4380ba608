/** Builds the upstream request of a conversation, in the upstream's dialect. */
import type { Context } from '../../context.ts';
import { UPSTREAM_DIALECTS } from '../../dialects/all.ts';
import { defaultMaxTokens } from '../../dialects/anthropic/thinking.ts';
import type { DialectPair, RequestTarget } from '../../dialects/hub/dialect.ts';
import { withFetchedMedia } from '../../dialects/hub/request/media.ts';
import { type HubRequest, withoutVendorThinking } from '../../dialects/hub/request/request.ts';
import type { ProviderRow } from '../../providers/rows/provider-row.ts';
import { providerFamilyOf, transportOf } from '../../providers/transports/all.ts';
import type { HeaderLines, UpstreamPayload } from '../../providers/transports/transport.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import { lengthOf, type WrittenJson, writeEdited, writeJson } from '../body/write-json.ts';
import { type Admitted, isRouted, type Routed } from '../call/admitted.ts';
import { appUser } from '../call/app-user.ts';
import { type Attachments, NO_ATTACHMENTS } from '../call/attachments.ts';
import { isUpstreamStream } from '../call/call-facts.ts';
import type { JsonObject } from '../call/call-intent.ts';
import { providerFor } from '../call/channel-provider.ts';
import { upstreamDialect } from '../call/dialect-pair.ts';
import { requestOf } from '../call/hub-request.ts';
import { pricedBody, pricedRequest } from '../call/priced-request.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { NamedThinking } from '../call/route.ts';
import { isPassThrough, overridden, withModel } from './channel-override.ts';
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
  relay: Ports<'ctx'>,
  { incoming, intent }: Routed,
  { upstream, isSame }: DialectPair,
): HeaderLines {
  const sent = isSame ? incoming.headers : undefined;
  const request = isSame ? undefined : intent.request;
  return upstream.requestHeaders?.(relay.ctx.options(), intent.model, sent, request) ?? {};
}

/** The request without its URL: the dialect's headers, and the body as it is sent. */
export interface DialectMessage {
  readonly headers: HeaderLines;
  readonly body: WrittenJson;
}

/** @throws AppError field_wrong for a field that this upstream does not support. */
export async function dialectMessage(
  relay: Ports<'ctx'>,
  call: Routed,
  pair: DialectPair,
): Promise<DialectMessage> {
  const { intent } = call;
  const { channel, plan } = call.route;
  const payload = {
    headers: dialectHeaders(relay, call, pair),
    body: pair.isSame
      ? forwardedBody(relay, call, pair)
      : translatedBody(relay, call, pair, call.attachments),
  };
  const { headers, body } = wrapPayload(plan.provider, call.route.upstreamModel, payload);
  const isPlain = pair.isSame && isPassThrough(relay, channel);
  const last = isPlain ? body : overridden(body, channel);
  const written = await (pair.isSame ? writeEdited(intent, last) : writeJson(intent, last));
  return { headers: { ...headers, ...lengthOf(written) }, body: written };
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

function forwardedBody(relay: Ports<'ctx'>, call: Routed, { client }: DialectPair): JsonObject {
  const { channel, upstreamModel, named: thinking, dropsThinkingOf } = call.route;
  const { media } = call.attachments;
  const { forwarding } = client;
  const body = pricedBody(call);
  const named = forwarding.bodyNamesModel ? withModel(body, upstreamModel) : body;
  if (isPassThrough(relay, channel)) return named;
  const { systemPrompt } = channel;
  const changes = {
    upstreamModel,
    systemPrompt,
    thinking,
    media,
    dropsThinking: dropsThinkingOf !== undefined,
  };
  return shapedFor(call, forwarding.request(named, changes));
}

function translatedBody(
  relay: Ports<'ctx'>,
  call: Routed,
  { upstream }: DialectPair,
  attachments: Attachments,
): JsonObject {
  const target = targetFor(relay, call, attachments);
  const written = upstream.writeRequest(shapedRequest(call, attachments), target);
  return shapedFor(call, written);
}

/**
 * What an upstream of another dialect gets, without what is fetched first; undefined if the client's
 * own body is sent. @throws AppError field_wrong as `dialectMessage`.
 */
export function translatedPreview(relay: Ports<'ctx'>, call: Admitted): JsonObject | undefined {
  if (!isRouted(call)) return undefined;
  const { pair } = call.route.plan;
  if (pair === undefined || pair.isSame) return undefined;
  return translatedBody(relay, call, pair, NO_ATTACHMENTS);
}

/** The provider's own body rules, if they apply to the dialect. */
function shapedFor(call: Routed, body: JsonObject): JsonObject {
  return call.route.plan.shapeBody?.(body, isUpstreamStream(call)) ?? body;
}

/** The upstream request in the hub's form. */
export function shapedRequest(call: Admitted, { media }: Attachments): HubRequest {
  const { named, channel, dropsThinkingOf } = call.route;
  const { systemPrompt = '' } = channel ?? {};
  const priced = pricedRequest(call, requestOf(call));
  const readable =
    dropsThinkingOf === undefined ? priced : withoutVendorThinking(priced, dropsThinkingOf);
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
  relay: Ports<'ctx'>,
  call: Routed,
  { signatures, uploads }: Attachments,
): RequestTarget {
  const { channel, plan, upstreamModel } = call.route;
  const { provider } = plan;
  const options = relay.ctx.options();
  const baseUrl = channel.baseUrl === '' ? provider.baseUrl : channel.baseUrl;
  return {
    model: upstreamModel,
    stream: isUpstreamStream(call),
    app: {
      other: channel.other,
      user: appUser(call),
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
