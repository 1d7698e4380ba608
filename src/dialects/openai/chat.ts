/** The dialect of OpenAI's chat completions and of compatible servers. */
import { toOpenAiUsage } from '../../domain/pricing/usage.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import { withModelName } from '../hub/client-model.ts';
import type { Dialect } from '../hub/dialect.ts';
import { contextOf, hasSeveral, SeveralDecoder, SeveralEncoder } from '../hub/several.ts';
import { readChatAnswer, writeChatAnswer } from './chat-answer.ts';
import { ChatDecoder } from './chat-decoder.ts';
import { ChatEncoder } from './chat-encoder.ts';
import { readChatRequest } from './chat-to-hub.ts';
import { writeChatError } from './errors.ts';
import { writeChatRequest } from './hub-to-chat.ts';
import { openAiLimitHeaders } from './limit-headers.ts';

export const CHAT: Dialect = {
  name: 'chat',
  readRequest: (body) => readChatRequest(body),
  writeRequest: writeChatRequest,
  readAnswer: readChatAnswer,
  writeAnswer: writeChatAnswer,
  decoder: (context) =>
    hasSeveral(context)
      ? new SeveralDecoder('choices', (index) => new ChatDecoder(contextOf(context, index)))
      : new ChatDecoder(context),
  encoder: (context) =>
    hasSeveral(context)
      ? new SeveralEncoder((index) => new ChatEncoder(context, index))
      : new ChatEncoder(context),
  readError: errorInSuccess,
  writeError: (error) => ({ ...writeChatError(error) }),
  isNative: true,
  alternative: 'responses',
  bodyRules: 'chat',
  endpointName: 'chat',
  route: '/v1/chat/completions',
  limitHeaders: openAiLimitHeaders,
  forwarding: {
    bodyNamesModel: true,
    holdsWhen: 'isComplete',
    request: (body) => body,
    renameAnswer: withModelName,
    renameFrame: withModelName,
  },
  usageFields: {
    answer: (json, usage) => ({ ...json, usage: toOpenAiUsage(usage) }),
    // `ChatStreamReader` writes it for clients that request it.
    frame: () => undefined,
  },
  withLimit({ max_tokens: _, max_completion_tokens: _new, ...rest }, tokens, chatField) {
    return { ...rest, [chatField]: tokens };
  },
};
