/** The request of a call in the hub's form, and the context of its answer. */
import { clientDialect } from '../../dialects/all.ts';
import type { AnswerContext, DialectPair } from '../../dialects/hub/dialect.ts';
import type { HubRequest } from '../../dialects/hub/request/request.ts';
import { estimatePrompt } from '../../domain/token-count/token-estimate.ts';
import { refuseLongConversation } from '../body/long-conversation.ts';
import type { Admitted } from './admitted.ts';
import { pricedBody } from './priced-request.ts';

/**
 * The request in the hub's form; read once for the same body.
 * @throws AppError field_missing, field_wrong
 */
export function requestOf({ incoming, intent }: Pick<Admitted, 'incoming' | 'intent'>): HubRequest {
  const { body, memo } = intent;
  if (intent.request !== undefined) return intent.request;
  if (memo.last?.body === body) return memo.last.request;
  refuseLongConversation(intent);
  const request = clientDialect(incoming).readRequest(body);
  memo.last = { body, request };
  return request;
}

function choicesOf({ count = 1 }: HubRequest): Pick<AnswerContext, 'choices'> {
  return count > 1 ? { choices: count } : {};
}

/** The context for reading and writing the answer. */
export function answerContext(call: Admitted, { client, isSame }: DialectPair): AnswerContext {
  const { incoming, intent } = call;
  return {
    id: incoming.requestId,
    createdSec: Math.floor(incoming.receivedAtMs / 1000),
    model: intent.model,
    tools: isSame ? [] : requestOf(call).tools,
    ...choicesOf(requestOf(call)),
    wantsUsage: intent.wantsUsage,
    ...(client.opensWithPromptTokens && !isSame
      ? { promptTokens: estimatePrompt(intent.body, 'chat', call.route.upstreamModel) }
      : {}),
    ...(client.repeatsRequest && !isSame ? { requestBody: pricedBody(call) } : {}),
    asList: incoming.pathAsks?.asList === true,
  };
}
