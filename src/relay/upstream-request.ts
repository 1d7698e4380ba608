/** What one attempt sends: the channel's address and key, and the client's body with as little changed as possible. */
import { withOverride } from '../dialects/openai/param-override.ts';
import { withSystemPrompt } from '../dialects/openai/system-prompt.ts';
import { renderJson } from '../providers/json-edit.ts';
import { buildRequest } from '../providers/openai-request.ts';
import type { ProviderRow } from '../providers/row.ts';
import { providerOf } from '../providers/rows.ts';
import { shapeBody } from '../providers/shape-body.ts';
import type { ChannelEntry } from '../services/views/routing.ts';
import type { Choice } from './choose.ts';
import type { JsonObject } from './intent.ts';
import type { CallRecord } from './record.ts';
import type { Relay } from './relay-context.ts';
import type { UpstreamRequest } from './upstream-call.ts';

/** @throws AppError endpoint_unsupported, channel_unusable. */
export function upstreamRequest(relay: Relay, record: CallRecord, choice: Choice): UpstreamRequest {
  const provider = providerOf(choice.channel.type);
  const address = addressFor(relay, record, choice, provider);
  // Names the call in the upstream's logs (developers.openai.com/api/reference/overview, "Debugging requests").
  const headers = { ...address.headers, 'x-client-request-id': record.incoming.requestId };
  return { ...address, headers, body: bodyFor(relay, record, provider) };
}

type Address = Omit<UpstreamRequest, 'body'>;

/**
 * Addresses already worked out, per channel as it stands: an edited channel is a new entry, so
 * nothing stale is found here. Bounded by `MAX_KEPT` per channel.
 */
const addresses = new WeakMap<ChannelEntry, Map<string, Address>>();
const MAX_KEPT = 500;

function addressFor(
  relay: Relay,
  record: CallRecord,
  choice: Choice,
  provider: ProviderRow,
): Address {
  const { channel, key } = choice;
  const { incoming, intent, upstreamModel } = record;
  const siteUrl = relay.ctx.options().get('ServerAddress');
  const version = incoming.query['api-version'] ?? '';
  const name = [incoming.endpoint, intent.stream, key.id, version, siteUrl, upstreamModel].join(
    ' ',
  );
  const kept = addresses.get(channel) ?? new Map<string, Address>();
  addresses.set(channel, kept);
  const known = kept.get(name);
  if (known !== undefined) return known;
  const request = buildRequest({
    provider,
    baseUrl: channel.baseUrl,
    key: key.key,
    other: channel.other,
    organization: channel.organization,
    endpoint: incoming.endpoint,
    model: upstreamModel,
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
      accept: intent.stream ? 'text/event-stream, application/json' : 'application/json',
      // What the upstream compresses we would have to decompress to read the usage.
      'accept-encoding': 'identity',
    },
  };
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(name, address);
  return address;
}

/** The client's own bytes when nothing must change; else its text with the changed members replaced. */
function bodyFor(relay: Relay, record: CallRecord, provider: ProviderRow): Buffer | string {
  const { intent } = record;
  const shaped = shapedBody(relay, record, provider);
  return shaped === intent.sent ? intent.raw : renderJson(intent.text, intent.sent, shaped);
}

function shapedBody(relay: Relay, record: CallRecord, provider: ProviderRow): JsonObject {
  const { intent, incoming, channel, upstreamModel } = record;
  if (channel === undefined) return intent.body;
  const isPassThrough =
    channel.setting.passThroughBody ||
    relay.ctx.options().get('global.pass_through_request_enabled');
  if (isPassThrough) {
    return intent.body.model === upstreamModel
      ? intent.body
      : { ...intent.body, model: upstreamModel };
  }
  const isChat = incoming.endpoint === 'chat';
  const prompted = isChat ? withSystemPrompt(intent.body, channel.systemPrompt) : intent.body;
  const shaped = shapeBody(provider, incoming.endpoint, prompted, {
    upstreamModel,
    stream: intent.stream && !channel.setting.pseudoStream,
    isListed: channel.models.has(upstreamModel),
  });
  const fitted = shaped === 'unchanged' ? prompted : shaped;
  return channel.paramOverride === undefined ? fitted : withOverride(fitted, channel.paramOverride);
}
