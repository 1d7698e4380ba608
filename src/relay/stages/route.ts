/** Routes a call to a channel: resolves the names, the dialect and the price of one attempt. */
import { lookupName, mapModel } from '../../domain/channels/model-names.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { groupRatioOf } from '../../domain/pricing/find-price.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { Permit } from '../../store/kv/kv.ts';
import { priceFor } from '../billing/call-price.ts';
import type { Admitted, Routed } from '../call/admitted.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';
import { routePlan } from '../call/route-plan.ts';
import { dialectOfCall } from '../routing/responses-api.ts';
import { readNamed } from '../translate/dialect-request.ts';

/** @throws AppError mapping_broken, price_missing. */
export function routedTo(
  relay: Ports<'ctx' | 'prices'>,
  call: Admitted,
  { channel, key }: Choice,
  channelPermit: Permit | undefined,
): Routed {
  const { bare, upstreamModel } = modelNamesAt(channel, call.intent.model);
  if (upstreamModel === undefined)
    throw new AppError('mapping_broken', { channel: channel.id }, { param: 'model' });
  const named = readNamed(relay.ctx, channel, upstreamModel, call.intent.maxTokens);
  const priced = { requested: lookupName(bare), upstream: named.model, channel };
  const dialect = dialectOfCall(call, channel, named.model);
  const route = {
    channel,
    keyId: key.id,
    channelPermit,
    plan: routePlan(channel, call.incoming, dialect, named.model),
    upstreamModel: named.model,
    named: named.thinking,
    dropsThinkingOf: undefined,
    price: priceFor(relay, call.caller, priced),
    groupRatio: groupRatioOf(relay.prices(), call.caller.group),
  };
  return { ...call, route };
}

/** The model's name without the channel's prefix, and its name at the channel's upstream. */
export function modelNamesAt(channel: ChannelEntry, full: string) {
  const bare = full.startsWith(channel.prefix) ? full.slice(channel.prefix.length) : full;
  return { bare, upstreamModel: mapModel(channel.mapping, full, bare) };
}
