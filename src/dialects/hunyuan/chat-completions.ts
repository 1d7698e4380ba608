/**
 * Tencent's signed `ChatCompletions` API: OpenAI's chat with a different spelling of names and the
 * answer wrapped in `Response`. Source: cloud.tencent.com/document/product/1729/105701.
 */
import {
  isObject,
  type JsonObject,
  objectIn,
  objectsIn,
  parseJson,
  textIn,
} from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import type { StreamFrame } from '../hub/answer/frames.ts';
import type { AnswerContext, Decoder, RequestTarget, UpstreamDialect } from '../hub/dialect.ts';
import type { HubRequest } from '../hub/request/request.ts';
import { readChatAnswer } from '../openai/chat/chat-answer.ts';
import { ChatDecoder } from '../openai/chat/chat-decoder.ts';
import { writeChatRequest } from '../openai/chat/hub-to-chat.ts';
import { snakeCase, upperCamelCase } from './spelling.ts';

export const HUNYUAN: UpstreamDialect = {
  name: 'hunyuan',
  writeRequest,
  readAnswer: (json, context) => readChatAnswer(snakeCase(answerIn(json)), context),
  decoder: (context) => new HunyuanDecoder(context),
  readError,
};

/** Fields of this API; it rejects all others of the chat dialect. */
const FIELDS = new Set([
  'model',
  'messages',
  'stream',
  'temperature',
  'top_p',
  'tools',
  'tool_choice',
  'seed',
  'stop',
]);

function writeRequest(request: HubRequest, target: RequestTarget): JsonObject {
  const chat = writeChatRequest({ ...request, extras: {} }, { ...target, chat: {} });
  const known = Object.entries(chat).filter(([name]) => FIELDS.has(name));
  const messages = objectsIn(chat, 'messages').map(writeMessage);
  return upperCamelCase({
    ...Object.fromEntries(known),
    messages,
    stream: target.stream,
    ...(objectsIn(chat, 'tools').length === 0 ? {} : writeTools(chat)),
  });
}

/** Content parts have a separate field. */
function writeMessage({ content, reasoning_content: _, ...message }: JsonObject): JsonObject {
  return Array.isArray(content)
    ? { ...message, contents: content }
    : { ...message, content: content ?? '' };
}

/** Schemas are strings here, and a forced tool has a separate field. */
function writeTools({ tools, tool_choice: choice }: JsonObject): JsonObject {
  const written = objectsIn({ tools }, 'tools').map((tool) => {
    const { parameters, strict: _, ...fn } = objectIn(tool, 'function') ?? {};
    return { type: 'function', function: { ...fn, parameters: JSON.stringify(parameters ?? {}) } };
  });
  if (isObject(choice)) return { tools: written, tool_choice: 'custom', custom_tool: choice };
  return { tools: written, tool_choice: choice === 'required' ? 'auto' : choice };
}

function answerIn(json: JsonObject): JsonObject {
  return objectIn(json, 'Response') ?? json;
}

/** Error codes are words, sent with status 200. */
const STATUSES: readonly (readonly [beginning: string, status: number])[] = [
  ['AuthFailure', 401],
  ['UnauthorizedOperation', 403],
  ['LimitExceeded', 429],
  ['RequestLimitExceeded', 429],
  ['FailedOperation.FreeResourcePackExhausted', 402],
  ['FailedOperation.ResourcePackExhausted', 402],
  ['FailedOperation.ServiceNotActivated', 402],
  ['FailedOperation.ServiceStop', 402],
  ['InvalidParameter', 400],
  ['ResourceInsufficient', 402],
  ['ResourceUnavailable', 402],
];

/** `Response.Error` of an answer, `ErrorMsg` of a frame. */
function readError(json: unknown): UpstreamError | undefined {
  if (!isObject(json)) return undefined;
  const holder = answerIn(json);
  const errorFields = objectIn(holder, 'Error') ?? objectIn(holder, 'ErrorMsg');
  if (errorFields === undefined) return errorInSuccess(json);
  const code = textIn(errorFields, 'Code') ?? '';
  const message = textIn(errorFields, 'Message') ?? textIn(errorFields, 'Msg') ?? code;
  const status = STATUSES.find(([beginning]) => code.startsWith(beginning))?.[1] ?? 500;
  const error = errorInSuccess({ error: { message, code: status } });
  return error && { ...error, code };
}

class HunyuanDecoder implements Decoder {
  readonly #chat: ChatDecoder;
  #hasFailed = false;

  constructor(context: AnswerContext) {
    this.#chat = new ChatDecoder(context);
  }

  get isComplete(): boolean {
    return !this.#hasFailed && this.#chat.isComplete;
  }

  get isOver(): boolean {
    return this.#hasFailed || this.#chat.isOver;
  }

  decode(frame: StreamFrame): readonly HubEvent[] {
    if (this.isOver) return [];
    const json = parsed(frame.data);
    const error = readError(json);
    if (error !== undefined) {
      this.#hasFailed = true;
      return [{ kind: 'error', error }];
    }
    if (json === undefined) return this.#chat.decode(frame);
    return this.#chat.decode({ event: '', data: JSON.stringify(snakeCase(json)) });
  }

  end(): readonly HubEvent[] {
    return this.#chat.end();
  }
}

function parsed(data: string): JsonObject | undefined {
  // The closing `[DONE]` is not JSON.
  const json = parseJson(data);
  return isObject(json) ? answerIn(json) : undefined;
}
