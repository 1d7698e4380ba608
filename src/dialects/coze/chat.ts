/**
 * Coze's bots. Requests always stream, because a whole answer would have to be polled for. Source:
 * www.coze.cn/open/docs/developer_guides/chat_v3.
 */
import { unusableChannel } from '../../domain/errors/field-errors.ts';
import { emptyUsage, type Usage } from '../../domain/pricing/usage.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  parseJson,
  textIn,
} from '../../json/read-json.ts';
import { AnswerCollector, type HubAnswer } from '../hub/answer/answer.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import type { StreamFrame } from '../hub/answer/frames.ts';
import { JsonDecoder, textEvents, thinkingEvents } from '../hub/answer/json-decoder.ts';
import type { AppTarget, RequestTarget, UpstreamDialect } from '../hub/dialect.ts';
import { extrasFor } from '../hub/extras.ts';
import { messageText } from '../hub/request/conversation.ts';
import type { HubMessage, HubRequest } from '../hub/request/request.ts';
import { readCozeError } from './errors.ts';
import { writeMedia } from './files.ts';

export const COZE: UpstreamDialect = {
  name: 'coze',
  limit: { isAbsent: true },
  writeRequest,
  readAnswer,
  decoder: () => new CozeDecoder(),
  readError: readCozeError,
};

/** @throws AppError channel_unusable without a bot, field_wrong for files without URL or upload. */
function writeRequest(request: HubRequest, { app, stream }: RequestTarget): JsonObject {
  const {
    custom_variables: variables,
    meta_data: meta,
    bot_id: _,
    ...rest
  } = extrasFor('openai', request);
  const bot = app?.other ?? '';
  if (bot === '') throw unusableChannel('bot_id_missing');
  const opening: readonly HubMessage[] = [{ role: 'user', blocks: request.system }];
  const conversation = rest.conversation_id;
  return {
    bot_id: bot,
    user_id: request.user ?? app?.user ?? 'gateway',
    additional_messages: [...opening, ...request.messages].flatMap((message) =>
      writeMessage(message, app),
    ),
    stream,
    auto_save_history: typeof conversation === 'string',
    ...(isObject(variables) ? { custom_variables: variables } : {}),
    ...(isObject(meta) ? { meta_data: meta } : {}),
  };
}

/** Bots have their own instructions, so the client's become a user message. */
function writeMessage(
  { role, blocks }: HubMessage,
  app: AppTarget | undefined,
): readonly JsonObject[] {
  const text = messageText(blocks);
  const speaker = role === 'assistant' ? 'assistant' : 'user';
  const media = blocks.flatMap((block) => writeMedia(block, app));
  if (media.length > 0) {
    const parts = text === '' ? media : [{ type: 'text', text }, ...media];
    const content = JSON.stringify(parts);
    return [{ role: speaker, content, content_type: 'object_string' }];
  }
  return text === '' ? [] : [{ role: speaker, content: text, content_type: 'text' }];
}

/** Handles responses without SSE framing, such as errors; answers always stream. */
function readAnswer(json: JsonObject): HubAnswer {
  const collector = new AnswerCollector();
  const decoder = new CozeDecoder();
  collector.add(decoder.decode({ event: textIn(json, 'event') ?? '', data: JSON.stringify(json) }));
  return collector.answer();
}

class CozeDecoder extends JsonDecoder {
  #hasText = false;

  override decode(frame: StreamFrame): readonly HubEvent[] {
    if (frame.event === 'done') {
      this.isOver = true;
      return [];
    }
    // Without SSE framing, the event's name is part of the data.
    const json = parseJson(frame.data);
    return isObject(json) && frame.event === '' && typeof json.event === 'string'
      ? super.decode({ event: json.event, data: JSON.stringify(json.data ?? {}) })
      : super.decode(frame);
  }

  protected readonly errorOf = (json: unknown, { event }: StreamFrame) => {
    const isFailure = event === 'error' || event === 'conversation.chat.failed' || event === '';
    return isFailure ? readCozeError(json) : undefined;
  };

  protected read(json: JsonObject, { event }: StreamFrame): readonly HubEvent[] {
    switch (event) {
      case 'conversation.chat.created':
        return this.started({ id: textIn(json, 'id') });
      case 'conversation.message.delta':
        return this.#textEvents(json);
      case 'conversation.message.completed':
        // Answers of plugins arrive in one piece.
        return this.#hasText ? [] : this.#textEvents(json);
      case 'conversation.chat.requires_action':
        return this.#over(json, [{ kind: 'finish', stop: 'end' }]);
      case 'conversation.chat.completed':
        return this.#over(json, [{ kind: 'finish', stop: 'end' }]);
      default:
        return [];
    }
  }

  #textEvents(json: JsonObject): readonly HubEvent[] {
    if (json.type !== 'answer') return [];
    const text = textIn(json, 'content');
    this.#hasText ||= text !== undefined;
    return [
      ...this.started({}),
      ...thinkingEvents(textIn(json, 'reasoning_content')),
      ...textEvents(text),
    ];
  }

  #over(json: JsonObject, finish: readonly HubEvent[]): readonly HubEvent[] {
    if (this.isComplete) return [];
    this.isComplete = true;
    const usage = readUsage(objectIn(json, 'usage'));
    return [...(usage === undefined ? [] : [{ kind: 'usage', usage } as const]), ...finish];
  }
}

function readUsage(raw: JsonObject | undefined): Usage | undefined {
  const input = numberIn(raw, 'input_count') ?? 0;
  const output = numberIn(raw, 'output_count') ?? 0;
  return input + output > 0 ? { ...emptyUsage(), input, output } : undefined;
}
