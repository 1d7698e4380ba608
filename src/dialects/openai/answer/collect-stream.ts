/**
 * Collects the chunks of a stream into one answer, for an upstream that streams although the client
 * requested no stream.
 */
import { isObject, type JsonObject, objectIn, objectsIn } from '../../../json/read-json.ts';
import type { TextEndpoint } from './stream-reader.ts';
import { ToolSlots } from './strict-format.ts';

const OBJECTS = { chat: 'chat.completion', completions: 'text_completion' } as const;

/** Strings that are complete even if repeated; all other strings arrive in pieces. */
const WHOLE_FIELDS: ReadonlySet<string> = new Set(['role', 'id', 'type', 'name', 'format']);
/** Fields of a chunk that do not belong to the answer. */
const CHUNK_FIELDS: ReadonlySet<string> = new Set(['choices', 'usage', 'x_groq', 'obfuscation']);

type Fields = Record<string, unknown>;

interface CollectedChoice {
  readonly index: number;
  message: JsonObject;
  text: string;
  logprobs: unknown;
  /** Finish reason, filter results and similar; the last value applies. */
  rest: JsonObject;
}

/**
 * Collects chunks in order; `answer` returns what OpenAI would have sent without `stream` (API
 * reference, "Chat completion object" and "Completion object"). Unknown fields are kept.
 */
export class ChunkCollector {
  readonly #endpoint: TextEndpoint;
  readonly #head: Fields = {};
  readonly #choices = new Map<number, CollectedChoice>();
  readonly #slots = new ToolSlots();

  constructor(endpoint: TextEndpoint) {
    this.#endpoint = endpoint;
  }

  add(chunk: JsonObject): void {
    for (const [name, value] of Object.entries(withoutEmpty(chunk))) {
      // Azure sends its prompt filter report first, with `created` 0.
      if (!CHUNK_FIELDS.has(name) && value !== 0) this.#head[name] = value;
    }
    for (const [position, choice] of objectsIn(chunk, 'choices').entries())
      this.#addChoice(choice, position);
  }

  /** `usage`: as reported by the upstream. */
  answer(usage: JsonObject | undefined): JsonObject {
    const choices = [...this.#choices.values()].sort((a, b) => a.index - b.index);
    return {
      ...this.#head,
      object: OBJECTS[this.#endpoint],
      choices: choices.map((choice) => this.#wholeChoice(choice)),
      ...(usage === undefined ? {} : { usage }),
    };
  }

  #addChoice(choice: JsonObject, position: number): void {
    const { delta: _, message: _whole, text, logprobs, usage: _usage, ...rest } = choice;
    const index = typeof choice.index === 'number' ? choice.index : position;
    const held = this.#choices.get(index) ?? emptyChoice(index);
    this.#choices.set(index, held);
    const part = objectIn(choice, 'delta') ?? objectIn(choice, 'message') ?? {};
    held.message = mergedObjects(held.message, this.#placed(part, index));
    if (typeof text === 'string') held.text += text;
    held.logprobs = merged(held.logprobs, logprobs, 'logprobs');
    held.rest = { ...held.rest, ...withoutEmpty(rest) };
  }

  /** Pieces of tool calls are matched by index, or by id if they have none. */
  #placed(part: JsonObject, index: number): JsonObject {
    if (!Array.isArray(part.tool_calls)) return part;
    const calls = objectsIn(part, 'tool_calls').map((call) => this.#slots.place(call, index));
    return { ...part, tool_calls: calls };
  }

  #wholeChoice({ index, message, text, logprobs, rest }: CollectedChoice): JsonObject {
    const end = { logprobs: logprobs ?? null, finish_reason: null, ...rest };
    if (this.#endpoint === 'completions') return { index, text, ...end };
    return { index, message: wholeMessage(message), ...end };
  }
}

function emptyChoice(index: number): CollectedChoice {
  return { index, message: {}, text: '', logprobs: undefined, rest: {} };
}

function wholeMessage(message: JsonObject): JsonObject {
  const calls = objectsIn(message, 'tool_calls').map(({ index: _, ...call }) => call);
  const isCall = calls.length > 0 || isObject(message.function_call);
  const content = isCall && message.content === '' ? null : (message.content ?? null);
  return {
    ...message,
    role: message.role ?? 'assistant',
    content,
    refusal: message.refusal ?? null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function withoutEmpty(fields: JsonObject): JsonObject {
  const isSet = (value: unknown) => value !== null && value !== undefined && value !== '';
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isSet(value)));
}

function mergedObjects(held: JsonObject, piece: JsonObject): JsonObject {
  const next: Fields = { ...held };
  for (const [name, value] of Object.entries(piece)) next[name] = merged(held[name], value, name);
  return next;
}

/** Strings and lists are appended, objects are merged; otherwise the last value applies. */
function merged(held: unknown, piece: unknown, name: string): unknown {
  if (piece === null || piece === undefined) return held ?? piece;
  if (held === null || held === undefined) return Array.isArray(piece) ? joined([], piece) : piece;
  if (typeof held === 'string' && typeof piece === 'string')
    return WHOLE_FIELDS.has(name) ? held || piece : held + piece;
  if (isObject(held) && isObject(piece)) return mergedObjects(held, piece);
  if (Array.isArray(held) || Array.isArray(piece)) return joined(partsOf(held), partsOf(piece));
  return piece;
}

/** Content may switch between string and parts within one message (Mistral). */
function partsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === '' ? [] : [{ type: 'text', text: value }];
}

/** Items with an index extend the item with the same index; all others are appended. */
function joined(held: readonly unknown[], pieces: readonly unknown[]): unknown[] {
  const items = [...held];
  for (const piece of pieces) {
    const index = items.findIndex((item) => isSameItem(item, piece));
    const known = items[index];
    if (isObject(known) && isObject(piece)) items[index] = mergedObjects(known, piece);
    else items.push(piece);
  }
  return items;
}

function isSameItem(item: unknown, piece: unknown): boolean {
  if (!isObject(item) || !isObject(piece) || typeof piece.index !== 'number') return false;
  return item.index === piece.index && (piece.type ?? item.type) === item.type;
}
