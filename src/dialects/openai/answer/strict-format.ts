/**
 * The channel setting `force_format`: rewrites answers with OpenAI's fields only, for upstreams
 * whose format breaks strict clients. Without the setting nothing is changed.
 */
import { isObject, type JsonObject, objectIn, objectsIn, textIn } from '../../../json/read-json.ts';
import type { AnswerIdentity } from '../../hub/answer/answer-reader.ts';
import { contentOf, reasoningOf } from '../chat/message-parts.ts';
import type { FrameReshaper, TextEndpoint } from './stream-reader.ts';

/** Providers' finish reasons, mapped to OpenAI's five. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  model_length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  MAX_TOKENS: 'length',
  model_context_window_exceeded: 'length',
  insufficient_system_resource: 'length',
  sensitive: 'content_filter',
  SAFETY: 'content_filter',
  refusal: 'content_filter',
  tool_use: 'tool_calls',
  TOOL_CALL: 'tool_calls',
};
const KNOWN_REASONS = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']);

/** Maps a finish reason to OpenAI's; an unknown reason becomes `stop`. */
export function strictFinishReason(reason: string): string {
  return KNOWN_REASONS.has(reason) ? reason : (FINISH_REASONS[reason] ?? 'stop');
}

/** Rewrites the chunks of one stream; keeps track of tool calls. */
export class StrictFormat implements FrameReshaper {
  readonly #endpoint: TextEndpoint;
  readonly #identity: AnswerIdentity;
  readonly #slots = new ToolSlots();
  #id: string | undefined;

  constructor(endpoint: TextEndpoint, identity: AnswerIdentity) {
    this.#endpoint = endpoint;
    this.#identity = identity;
  }

  reshape(frame: JsonObject): JsonObject {
    this.#id ??= textIn(frame, 'id') ?? this.#identity.id;
    const object = this.#endpoint === 'chat' ? 'chat.completion.chunk' : 'text_completion';
    const choices = objectsIn(frame, 'choices').map((choice, index) => this.#choice(choice, index));
    const usage = Object.hasOwn(frame, 'usage') ? { usage: frame.usage } : {};
    const head = strictHead({ ...frame, id: this.#id }, this.#identity, object);
    return { ...head, choices, ...usage };
  }

  #choice(choice: JsonObject, index: number): JsonObject {
    const tail = strictTail(choice, index);
    if (this.#endpoint === 'completions') return { ...tail, text: textIn(choice, 'text') ?? '' };
    const part = objectIn(choice, 'delta') ?? objectIn(choice, 'message') ?? {};
    const calls = objectsIn(part, 'tool_calls').map((call) => this.#slots.place(call, tail.index));
    const delta = { ...strictMessage(part), ...(calls.length > 0 ? { tool_calls: calls } : {}) };
    return { index: tail.index, delta, logprobs: tail.logprobs, finish_reason: tail.finish_reason };
  }
}

/** The same for a whole answer. */
export function strictAnswer(
  answer: JsonObject,
  endpoint: TextEndpoint,
  identity: AnswerIdentity,
): JsonObject {
  const object = endpoint === 'chat' ? 'chat.completion' : 'text_completion';
  const choices = objectsIn(answer, 'choices').map((choice, index) => {
    const tail = strictTail(choice, index);
    if (endpoint === 'completions') return { ...tail, text: textIn(choice, 'text') ?? '' };
    const part = objectIn(choice, 'message') ?? {};
    const calls = objectsIn(part, 'tool_calls').map(strictToolCall);
    const message = {
      role: 'assistant',
      content: null,
      ...strictMessage(part),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    return { ...tail, message };
  });
  const usage = isObject(answer.usage) ? { usage: answer.usage } : {};
  return { ...strictHead(answer, identity, object), choices, ...usage };
}

function strictHead(holder: JsonObject, identity: AnswerIdentity, object: string): JsonObject {
  const created = Math.trunc(Number(holder.created));
  const kept = ['system_fingerprint', 'service_tier'].flatMap((name) =>
    typeof holder[name] === 'string' ? [[name, holder[name]] as const] : [],
  );
  return {
    id: textIn(holder, 'id') ?? identity.id,
    object,
    created: created > 0 ? created : identity.createdSec,
    model: textIn(holder, 'model') ?? identity.model,
    ...Object.fromEntries(kept),
  };
}

interface StrictTail {
  readonly [name: string]: unknown;
  readonly index: number;
  readonly logprobs: unknown;
  readonly finish_reason: string | null;
}

function strictTail(choice: JsonObject, index: number): StrictTail {
  const reason = textIn(choice, 'finish_reason');
  return {
    index: typeof choice.index === 'number' ? choice.index : index,
    logprobs: choice.logprobs ?? null,
    finish_reason: reason === undefined ? null : strictFinishReason(reason),
  };
}

/** Role, content, reasoning and refusal, if present. */
function strictMessage(part: JsonObject): JsonObject {
  const reasoning = reasoningOf(part);
  const hasContent = part.content !== undefined;
  return {
    ...(textIn(part, 'role') === undefined ? {} : { role: part.role }),
    ...(hasContent ? { content: part.content === null ? null : contentOf(part) } : {}),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(textIn(part, 'refusal') === undefined ? {} : { refusal: part.refusal }),
    ...(isObject(part.function_call) ? { function_call: part.function_call } : {}),
    ...(isObject(part.audio) ? { audio: part.audio } : {}),
  };
}

/** OpenAI requires arguments as a string; some servers send an object. */
function strictToolCall(call: JsonObject): JsonObject {
  const body = objectIn(call, 'function');
  if (body === undefined || !isObject(body.arguments)) return call;
  return { ...call, function: { ...body, arguments: JSON.stringify(body.arguments) } };
}

/**
 * If an upstream omits `index`, a new id opens the next slot and a piece without id continues the
 * last one, so that parallel calls are not merged.
 */
export class ToolSlots {
  readonly #ids = new Map<number, string[]>();

  place(call: JsonObject, choice: number): JsonObject {
    const ids = this.#ids.get(choice) ?? [];
    this.#ids.set(choice, ids);
    const id = textIn(call, 'id');
    const index = typeof call.index === 'number' ? call.index : slotOf(ids, id);
    ids[index] ??= id ?? '';
    return { index, ...strictToolCall({ ...call, index }) };
  }
}

function slotOf(ids: readonly string[], id: string | undefined): number {
  if (id === undefined) return Math.max(0, ids.length - 1);
  const known = ids.indexOf(id);
  return known === -1 ? ids.length : known;
}
