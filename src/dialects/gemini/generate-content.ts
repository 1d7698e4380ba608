/** Google's generateContent and streamGenerateContent dialect. */
import type { Usage } from '../../domain/pricing/usage.ts';
import { isObject, type JsonObject, objectsIn } from '../../json/read-json.ts';
import {
  answerContextOf,
  hasMultipleAnswers,
  MultiAnswerDecoder,
  MultiAnswerEncoder,
} from '../hub/answer/multiple-answers.ts';
import type { Dialect } from '../hub/dialect.ts';
import { readGeminiAnswer, writeGeminiAnswer } from './answer.ts';
import { withVersion, withVersionText } from './client-model.ts';
import { GeminiDecoder } from './decoder.ts';
import { embeddingRequestsOf, readEmbedRequests } from './embeddings.ts';
import { GeminiEncoder } from './encoder.ts';
import { readGeminiError, writeGeminiError } from './errors.ts';
import { forwardedGeminiRequest, withAnswerLimit } from './forward.ts';
import { isFetchedByGoogle } from './hub-to-part.ts';
import { writeGeminiRequest } from './hub-to-request.ts';
import { readGeminiRequest } from './request-to-hub.ts';
import { readGeminiThinkingName } from './thinking.ts';
import { toGeminiUsage } from './usage.ts';

export const GEMINI: Dialect = {
  name: 'gemini',
  readRequest: readGeminiRequest,
  writeRequest: writeGeminiRequest,
  readAnswer: readGeminiAnswer,
  writeAnswer: writeGeminiAnswer,
  decoder: (context) =>
    hasMultipleAnswers(context)
      ? new MultiAnswerDecoder(
          'candidates',
          (index) => new GeminiDecoder(answerContextOf(context, index)),
        )
      : new GeminiDecoder(context),
  encoder: (context) => {
    if (!hasMultipleAnswers(context)) return new GeminiEncoder(context);
    const list = { isOpen: false };
    return new MultiAnswerEncoder((index) => new GeminiEncoder(context, index, list));
  },
  readError: readGeminiError,
  writeError: writeGeminiError,
  endpointName: 'generateContent',
  route: '/v1beta/models/{model}',
  needsSignatures: true,
  refusesComments: true,
  readsMediaAt: isFetchedByGoogle,
  readThinkingName: readGeminiThinkingName,
  embeddings: { requests: embeddingRequestsOf, read: readEmbedRequests },
  forwarding: {
    request: forwardedGeminiRequest,
    answers: {
      holdsWhen: 'isComplete',
      renameAnswer: withVersion,
      renameFrame: withVersion,
      renameText: withVersionText,
    },
  },
  usageFields: {
    answer: withUsage,
    frame: (frame, usage) =>
      objectsIn(frame, 'candidates').length > 0 || isObject(frame.usageMetadata)
        ? withUsage(frame, usage)
        : undefined,
  },
  withLimit: withAnswerLimit,
};

function withUsage(json: JsonObject, usage: Usage): JsonObject {
  return { ...json, usageMetadata: toGeminiUsage(usage) };
}
