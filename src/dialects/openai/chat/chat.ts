/** The dialect of OpenAI's chat completions and of compatible servers. */
import { toOpenAiUsage } from '../../../domain/pricing/usage.ts';
import { errorInSuccess } from '../../../upstream-errors/read-upstream-error.ts';
import {
  answerContextOf,
  hasMultipleAnswers,
  MultiAnswerDecoder,
  MultiAnswerEncoder,
} from '../../hub/answer/multiple-answers.ts';
import type { Dialect } from '../../hub/dialect.ts';
import { forwardedAnswers } from '../answer/forwarded-answers.ts';
import { withImageBytes } from '../endpoints/image-bytes.ts';
import { writeChatError } from '../errors.ts';
import { openAiLimitHeaders } from '../limit-headers.ts';
import { withSystemPrompt } from '../system-prompt.ts';
import { withChatLimit } from './answer-limit.ts';
import { readChatAnswer, writeChatAnswer } from './chat-answer.ts';
import { ChatDecoder } from './chat-decoder.ts';
import { ChatEncoder } from './chat-encoder.ts';
import { readChatRequest } from './chat-to-hub.ts';
import { writeChatRequest } from './hub-to-chat.ts';
import { withImageObjects } from './image-objects.ts';

export const CHAT: Dialect = {
  name: 'chat',
  readRequest: (body) => readChatRequest(body),
  writeRequest: writeChatRequest,
  readAnswer: readChatAnswer,
  writeAnswer: writeChatAnswer,
  decoder: (context) =>
    hasMultipleAnswers(context)
      ? new MultiAnswerDecoder(
          'choices',
          (index) => new ChatDecoder(answerContextOf(context, index)),
        )
      : new ChatDecoder(context),
  encoder: (context) =>
    hasMultipleAnswers(context)
      ? new MultiAnswerEncoder((index) => new ChatEncoder(context, index))
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
    request: (body, { media, systemPrompt }) => {
      const readable = withImageObjects(body);
      return withSystemPrompt(
        media === undefined ? readable : withImageBytes(readable, media),
        systemPrompt,
      );
    },
    answers: forwardedAnswers('chat'),
  },
  usageFields: {
    answer: (json, usage) => ({ ...json, usage: toOpenAiUsage(usage) }),
    // `ChatStreamReader` writes it for clients that request it.
    frame: () => undefined,
  },
  withLimit: withChatLimit,
};

/** The older completions, which only upstreams of the same dialect have. */
export const COMPLETIONS: Dialect = {
  ...CHAT,
  bodyRules: 'completions',
  forwarding: {
    bodyNamesModel: true,
    request: (body) => body,
    answers: forwardedAnswers('completions'),
  },
};
