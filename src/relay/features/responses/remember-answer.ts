/** Remembers an answer of the Responses API, so that its client can refer to it later. */
import type { Awaitable } from '../../../domain/awaitable.ts';
import type { JsonObject } from '../../../json/read-json.ts';
import { keepAnswer } from '../../../services/channels/kept-answers.ts';
import { saveResponseOrigin } from '../../../services/channels/stored-responses.ts';
import type { Admitted } from '../../call/admitted.ts';
import { isStoredUpstream } from '../../call/call-facts.ts';
import type { Ports } from '../../call/relay-ports.ts';

/** What a client may refer to. */
export interface Referable {
  /** Ids under which the upstream stores the answer. */
  readonly ids: readonly string[];
  /** Items of an answer that was translated, so that no upstream stores it. */
  readonly items?: readonly JsonObject[] | undefined;
}

/** Does nothing for a client that asks not to store the answer. */
export function rememberAnswer(
  relay: Ports<'ctx'>,
  call: Admitted,
  answer: Referable,
): Awaitable<void> {
  const { intent } = call;
  const { channel } = call.route;
  if (intent.body.store !== false && channel !== undefined)
    return remember(relay, call, channel.id, answer);
}

async function remember(
  { ctx }: Ports<'ctx'>,
  call: Admitted,
  channelId: number,
  { ids, items = [] }: Referable,
): Promise<void> {
  const { incoming, intent, caller } = call;
  const { keyId } = call.route;
  const { requestId } = incoming;
  try {
    if (isStoredUpstream(call)) {
      const origin = { channelId, keyId, model: intent.model };
      await saveResponseOrigin(ctx, caller.user.id, ids, origin);
    } else await keepAnswer(ctx, caller.user.id, requestId, items);
  } catch (error) {
    // The answer itself is complete and charged; only later references to it will fail, with an
    // error.
    ctx.ledger.writes.failed(error);
    ctx.log.error({ err: error, request_id: requestId }, 'an answer could not be remembered');
  }
}
