/** The request of a call in the hub's form, and the context of its answer. */
import { clientDialect } from '../../dialects/all.ts';
import type { AnswerContext, DialectPair } from '../../dialects/hub/dialect.ts';
import type { HubRequest } from '../../dialects/hub/request/request.ts';
import { estimatePrompt } from '../../domain/token-count/token-estimate.ts';
import { refuseLongConversation } from '../body/long-conversation.ts';
import type { Intent } from './call-intent.ts';
import type { Admitted } from './call-stages.ts';
import { pricedBody } from './priced-request.ts';

const requests = new WeakMap<Intent, HubRequest>();

/**
 * The request in the hub's form; parsed once per call.
 * @throws AppError field_missing, field_wrong
 */
export function requestOf({ incoming, intent }: Pick<Admitted, 'incoming' | 'intent'>): HubRequest {
  const known = intent.request ?? requests.get(intent);
  if (known !== undefined) return known;
  refuseLongConversation(intent);
  const read = clientDialect(incoming).readRequest(intent.body);
  requests.set(intent, read);
  return read;
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
      ? { promptTokens: estimatePrompt(intent.body, 'chat', call.upstreamModel) }
      : {}),
    ...(client.repeatsRequest && !isSame ? { requestBody: pricedBody(call) } : {}),
    asList: incoming.pathAsks?.asList === true,
  };
}
