/** OpenAI's Responses dialect. */
import type { Usage } from '../../domain/pricing/usage.ts';
import { type JsonObject, numberIn, objectIn, objectsIn } from '../../json/read-json.ts';
import { withInnerModelName, withModelName } from '../hub/answer/client-model.ts';
import type { Dialect } from '../hub/dialect.ts';
import { openAiLimitHeaders } from '../openai/limit-headers.ts';
import { readResponsesAnswer, writeResponsesAnswer } from './answer.ts';
import { ResponsesDecoder } from './decoder.ts';
import { ResponsesEncoder } from './encoder.ts';
import { isUnreadableReasoning, readResponsesError, writeResponsesError } from './errors.ts';
import { forwardedResponsesRequest } from './forward.ts';
import { writeResponsesRequest } from './hub-to-request.ts';
import { readResponsesRequest } from './request-to-hub.ts';
import { toResponsesUsage } from './usage.ts';

export const RESPONSES: Dialect = {
  name: 'responses',
  readRequest: (body) => readResponsesRequest(body),
  writeRequest: writeResponsesRequest,
  readAnswer: readResponsesAnswer,
  writeAnswer: writeResponsesAnswer,
  decoder: (context) => new ResponsesDecoder(context),
  encoder: (context) => new ResponsesEncoder(context),
  readError: readResponsesError,
  writeError: writeResponsesError,
  endpoint: 'responses',
  bodyRules: 'responses',
  keepsAnswers: true,
  limitsToolCalls: true,
  thinkingRefusal: { vendor: 'openai', isThis: isUnreadableReasoning },
  limit: { least: 16 },
  endpointName: 'responses',
  route: '/v1/responses',
  errorStatus: 'responsesStatus',
  limitHeaders: openAiLimitHeaders,
  repeatsRequest: true,
  forwarding: {
    bodyNamesModel: true,
    request: forwardedResponsesRequest,
    answers: {
      holdsWhen: 'isOver',
      renameAnswer: withModelName,
      renameFrame: (frame, model) => withInnerModelName(frame, 'response', model),
    },
  },
  usageFields: {
    answer: withUsage,
    frame(frame, usage) {
      const response = objectIn(frame, 'response');
      return response && { ...frame, response: withUsage(response, usage) };
    },
  },
  withLimit: (body, tokens) => ({ ...body, max_output_tokens: tokens }),
  withToolUses: withFewerUses,
};

/** OpenAI refuses a limit of 0, so without a use the search is left out. */
function withFewerUses(body: JsonObject, uses: number): JsonObject | undefined {
  if (uses === 0) return withoutSearch(body);
  return { ...body, max_tool_calls: Math.min(uses, numberIn(body, 'max_tool_calls') ?? uses) };
}

/** Undefined if the model must search, or has no other tool. */
function withoutSearch(body: JsonObject): JsonObject | undefined {
  const others = objectsIn(body, 'tools').filter(({ type }) => !isSearch(type));
  const isFree = body.tool_choice === undefined || body.tool_choice === 'auto';
  return isFree && others.length > 0 ? { ...body, tools: others } : undefined;
}

function isSearch(type: unknown): boolean {
  return typeof type === 'string' && type.startsWith('web_search');
}

function withUsage(json: JsonObject, usage: Usage): JsonObject {
  return { ...json, usage: toResponsesUsage(usage) };
}
