/** Anthropic's Messages dialect. */
import type { Usage } from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import { withInnerModelName, withModelName } from '../hub/answer/client-model.ts';
import type { Dialect } from '../hub/dialect.ts';
import { readAnthropicAnswer, writeAnthropicAnswer } from './answer.ts';
import { AnthropicDecoder } from './decoder.ts';
import { AnthropicEncoder } from './encoder.ts';
import { isRefusedThinking, readAnthropicError, writeAnthropicError } from './errors.ts';
import { forwardedAnthropicRequest, withAnthropicLimit, withFewerUses } from './forward.ts';
import { anthropicLimitHeaders, anthropicRequestHeaders } from './headers.ts';
import { writeAnthropicRequest } from './hub-to-request.ts';
import { readAnthropicRequest } from './request-to-hub.ts';
import { readThinkingName, writtenMaxTokens } from './thinking.ts';
import { toAnthropicUsage } from './usage.ts';

export const ANTHROPIC: Dialect = {
  name: 'anthropic',
  readRequest: (body) => readAnthropicRequest(body),
  writeRequest: writeAnthropicRequest,
  readAnswer: readAnthropicAnswer,
  writeAnswer: writeAnthropicAnswer,
  decoder: (context) => new AnthropicDecoder(context),
  encoder: (context) => new AnthropicEncoder(context),
  readError: readAnthropicError,
  writeError: writeAnthropicError,
  endpointName: 'messages',
  route: '/v1/messages',
  limitHeaders: anthropicLimitHeaders,
  requestHeaders: anthropicRequestHeaders,
  readThinkingName,
  limit: { written: writtenMaxTokens },
  thinkingRefusal: { vendor: 'anthropic', isThis: isRefusedThinking },
  opensWithPromptTokens: true,
  hasTwinPaths: true,
  forwarding: {
    bodyNamesModel: true,
    request: forwardedAnthropicRequest,
    answers: {
      holdsWhen: 'isComplete',
      renameAnswer: withModelName,
      renameFrame: (frame, model) => withInnerModelName(frame, 'message', model),
    },
  },
  usageFields: {
    answer: withUsage,
    frame: (frame, usage) => (frame.type === 'message_delta' ? withUsage(frame, usage) : undefined),
  },
  withLimit: withAnthropicLimit,
  withToolUses: withFewerUses,
};

function withUsage(json: JsonObject, usage: Usage): JsonObject {
  return { ...json, usage: toAnthropicUsage(usage) };
}
