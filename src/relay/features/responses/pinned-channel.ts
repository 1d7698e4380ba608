/**
 * Routes a call that refers to data stored by an upstream to that upstream, with the key that
 * created the data.
 */
import { itemReferenceAt, referencedIds } from '../../../dialects/responses/forward.ts';
import type { Awaitable } from '../../../domain/awaitable.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { wrongField } from '../../../domain/errors/field-errors.ts';
import type { ChannelEntry } from '../../../services/cache/routing-cache.ts';
import { responseOriginsOf } from '../../../services/channels/stored-responses.ts';
import type { Admitted } from '../../call/admitted.ts';
import { nativeField } from '../../call/call-facts.ts';
import type { Choice } from '../../call/choice.ts';
import type { Ports } from '../../call/relay-ports.ts';
import { hasResponsesApi } from '../../routing/responses-api.ts';
import type { Candidates } from '../feature.ts';

/**
 * The `candidates` that can serve the call, and the one choice it is bound to, if any.
 * @throws AppError field_wrong, previous_response_unknown, item_reference_unknown, responses_only,
 * compact_unsupported
 */
export function capableCandidates(
  relay: Ports<'ctx'>,
  call: Admitted,
  candidates: readonly ChannelEntry[],
): Awaitable<Candidates> {
  refuseConversation(call);
  const field = nativeField(call);
  if (field === undefined) return { channels: candidates };
  const capable = candidates.filter(hasResponsesApi);
  if (capable.length === 0) throw unserved(call, field);
  const ids = referencedIds(call.intent.body);
  if (ids.length === 0) return { channels: capable };
  return requiredChoice(relay, call, capable, ids).then((required) => ({
    channels: [required.channel],
    required,
  }));
}

function unserved({ incoming, intent }: Admitted, field: string): AppError {
  const { model, body } = intent;
  if (incoming.pathTail !== undefined) return new AppError('compact_unsupported', { model });
  const item = itemReferenceAt(body, field);
  return item === undefined
    ? new AppError('responses_only', { field, model }, { param: field })
    : new AppError('item_reference_unknown', { item, model }, { param: field });
}

/** @throws AppError field_wrong: conversations are never forwarded on behalf of a client. */
function refuseConversation({ intent }: Admitted): void {
  const { conversation } = intent.body;
  if (conversation !== undefined && conversation !== null)
    throw wrongField('conversation', 'conversation_not_kept');
}

async function requiredChoice(
  relay: Ports<'ctx'>,
  { caller, intent }: Admitted,
  capable: readonly ChannelEntry[],
  ids: readonly string[],
): Promise<Choice> {
  const origins = await responseOriginsOf(relay.ctx, caller.user.id, ids);
  const [first] = origins;
  const at = origins.findIndex(
    (origin) => origin === undefined || origin.channelId !== first?.channelId,
  );
  const channel = capable.find(({ id }) => id === first?.channelId);
  const key = channel?.keys.find(({ id }) => id === first?.keyId);
  if (at !== -1 || channel === undefined || key === undefined) {
    const response = ids[Math.max(0, at)] ?? '';
    if (response !== intent.body.previous_response_id)
      throw new AppError(
        'item_reference_unknown',
        { item: response, model: intent.model },
        { param: 'input' },
      );
    throw new AppError(
      'previous_response_unknown',
      { response },
      { param: 'previous_response_id' },
    );
  }
  return { channel, key };
}
