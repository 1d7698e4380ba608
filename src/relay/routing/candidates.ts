/** The channels that can serve a call, before one of them is chosen. */
import { lookupName } from '../../domain/channels/model-names.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { memoizePerObject } from '../../domain/memoize-per-object.ts';
import { estimatePrompt } from '../../domain/token-count/token-estimate.ts';
import { offersEndpoint } from '../../providers/requests/openai-request.ts';
import { retiredType } from '../../providers/rows/provider-row.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { Admitted } from '../call/admitted.ts';
import { providerFor } from '../call/channel-provider.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { noChannel } from './no-channel.ts';

/**
 * @throws AppError model_unknown, channel_none, endpoint_unsupported, prompt_too_long, channel_id_invalid,
 * channel_disabled.
 */
export function candidatesFor(relay: Ports<'routing'>, call: Admitted): readonly ChannelEntry[] {
  const { caller, intent, incoming } = call;
  if (caller.pinned !== '') return [pinnedChannel(relay, caller.pinned)];
  const all = relay.routing.candidates(caller.group, intent.model);
  if (all.length === 0) throw noChannel(relay, groupModelOf(call));
  const capable = servingEndpoint(all, incoming);
  if (capable.length === 0) throw noCapableChannel(all, call);
  return withinInputLimit(capable, call);
}

/** By endpoint and dialect, for each list of channels; a changed channel makes a new list. */
const servingLists = memoizePerObject(
  (_all: readonly ChannelEntry[]) => new Map<string, readonly ChannelEntry[]>(),
);

function servingEndpoint(
  all: readonly ChannelEntry[],
  { dialect, endpoint }: Incoming,
): readonly ChannelEntry[] {
  const lists = servingLists(all);
  const name = `${endpoint} ${dialect}`;
  const kept = lists.get(name);
  if (kept !== undefined) return kept;
  const serving = all.filter((channel) => offersEndpoint(providerFor(channel, dialect), endpoint));
  lists.set(name, serving);
  return serving;
}

export function groupModelOf({ caller: { group }, intent: { model } }: Admitted) {
  return { group, model };
}

/**
 * If the channels' provider was discontinued, that is the reason; otherwise none of them supports
 * the endpoint.
 */
function noCapableChannel(all: readonly ChannelEntry[], { intent, incoming }: Admitted): AppError {
  const rows = all.map((channel) => providerFor(channel, incoming.dialect));
  const retired = rows.find(({ supported }) => !supported);
  const param = { param: 'model' };
  if (retired !== undefined && rows.every(({ supported }) => !supported))
    return new AppError('provider_retired', retiredType(retired), param);
  const facts = { model: intent.model, endpoint: incoming.endpoint };
  return new AppError('endpoint_unsupported', facts, param);
}

/** The longest prompt that the channel can ever take: one above its tokens per minute never fits. */
function inputLimitOf({ maxInputTokens, setting }: ChannelEntry): number {
  return Math.min(
    maxInputTokens || Number.POSITIVE_INFINITY,
    setting.tokensPerMinute || Number.POSITIVE_INFINITY,
  );
}

/**
 * Channels that accept a prompt of this length, which is estimated only if a channel has a limit.
 */
function withinInputLimit(
  capable: readonly ChannelEntry[],
  call: Admitted,
): readonly ChannelEntry[] {
  if (capable.every((channel) => inputLimitOf(channel) === Number.POSITIVE_INFINITY))
    return capable;
  const tokens = estimatePrompt(
    call.intent.body,
    call.incoming.endpoint,
    lookupName(call.intent.model),
  );
  const within = capable.filter((channel) => inputLimitOf(channel) >= tokens);
  if (within.length > 0) return within;
  const limit = Math.max(...capable.map(inputLimitOf));
  throw new AppError('prompt_too_long', { model: call.intent.model, tokens, limit });
}

/** @throws AppError channel_id_invalid, channel_disabled. */
export function pinnedChannel(relay: Ports<'routing'>, pinned: string): ChannelEntry {
  // Digits only, because `Number` would also accept `0x1`, `1e0` or a blank.
  const channel = /^\d+$/.test(pinned) ? relay.routing.channel(Number(pinned)) : undefined;
  if (channel === undefined) throw new AppError('channel_id_invalid');
  if (channel.status !== 1) throw new AppError('channel_disabled');
  return channel;
}
