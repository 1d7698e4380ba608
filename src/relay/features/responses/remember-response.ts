/** Finds the upstream that stores a user's answer, and builds requests about it. */

import type { Context } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { buildRequest } from '../../../providers/requests/openai-request.ts';
import type { ChannelEntry } from '../../../services/cache/routing-cache.ts';
import { responseIdHash, responseOriginsOf } from '../../../services/channels/stored-responses.ts';
import {
  type BackgroundResponseRow,
  findBackgroundResponse,
} from '../../../store/tables/background-answers-table.ts';
import type { Caller } from '../../call/caller.ts';
import type { Ports } from '../../call/relay-ports.ts';
import { type ChannelRequest, requestPlanOf } from '../../http/channel-exchange.ts';

export interface StoredResponseCall {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path below the response. */
  readonly action?: 'cancel' | 'input_items';
}

export interface StoredResponse {
  readonly channel: ChannelEntry;
  readonly key: string;
  /** The model that the client requested. */
  readonly model: string;
  /** Set while a background answer is running and not settled. */
  readonly row: BackgroundResponseRow | undefined;
}

/** @throws AppError response_unknown for an id that is not this user's. */
export async function storedResponseOf(
  relay: Ports<'ctx' | 'routing'>,
  { user }: Caller,
  id: string,
): Promise<StoredResponse> {
  const [origin] = await responseOriginsOf(relay.ctx, user.id, [id]);
  const channel = origin && relay.routing.channel(origin.channelId);
  const key = channel?.keys.find((one) => one.id === origin?.keyId);
  if (origin === undefined || channel?.status !== 1 || key === undefined)
    throw new AppError('response_unknown', { response: id });
  const row = await findBackgroundResponse(relay.ctx.db, user.id, responseIdHash(id));
  return { channel, key: key.key, model: origin.model, row };
}

/** @throws what `buildRequest` throws. */
export function storedResponseRequest(
  ctx: Context,
  { channel, key, model }: Pick<StoredResponse, 'channel' | 'key' | 'model'>,
  call: StoredResponseCall,
  query = '',
): ChannelRequest {
  return buildRequest({
    ...requestPlanOf(ctx, channel, { endpoint: 'responses', model }),
    key,
    method: call.method,
    pathTail: call.action === undefined ? [call.id] : [call.id, call.action],
    query,
  });
}
