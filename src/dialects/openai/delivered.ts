/** What an answer really contained, kept to be counted when the upstream reports no usage. */
import { isObject, type JsonObject, objectIn, objectsIn, textIn } from '../../json/read-json.ts';
import { contentOf, reasoningOf, toolCallText } from './message-parts.ts';

/** 256 K characters are more than any estimate needs to be fair; beyond, only the number is kept. */
const MAX_KEPT_CHARS = 256 * 1024;

export class Delivered {
  #pieces: string[] = [];
  #keptChars = 0;
  #chars = 0;
  #hasInk = false;
  #hasMedia = false;
  readonly #toolCalls = new Set<string>();

  /** All text so far: content, reasoning, refusals, tool names and arguments; cut at the bound. */
  get text(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')];
    return this.#pieces[0] ?? '';
  }

  /** UTF-16 units delivered, whether kept or not. */
  get chars(): number {
    return this.#chars;
  }

  /** How many of them `text` no longer holds. */
  get uncountedChars(): number {
    return this.#chars - this.#keptChars;
  }

  get toolCalls(): number {
    return this.#toolCalls.size;
  }

  /** Something the client can see or hear has been delivered. */
  get hasContent(): boolean {
    return this.#chars > 0 || this.#toolCalls.size > 0 || this.#hasMedia;
  }

  /** Nothing but white space: an answer that is not charged. */
  get isEmpty(): boolean {
    return !this.#hasInk && this.#toolCalls.size === 0 && !this.#hasMedia;
  }

  /** Takes in a chat message or delta of choice `index`; says whether it contained anything. */
  addMessage(message: JsonObject, index: number): boolean {
    const before = this.#chars + this.#toolCalls.size;
    this.add(reasoningOf(message));
    this.add(contentOf(message));
    this.add(textIn(message, 'refusal') ?? '');
    for (const call of objectsIn(message, 'tool_calls')) this.#addToolCall(call, index);
    const legacyCall = objectIn(message, 'function_call');
    if (legacyCall) this.#addToolCall(legacyCall, index);
    const audio = objectIn(message, 'audio');
    this.add(textIn(audio, 'transcript') ?? '');
    const hasMedia =
      audio?.data !== undefined || isObject(message.images) || Array.isArray(message.images);
    if (hasMedia) this.#hasMedia = true;
    return hasMedia || this.#chars + this.#toolCalls.size > before;
  }

  add(text: string): void {
    if (text === '') return;
    this.#chars += text.length;
    this.#hasInk ||= /\S/.test(text);
    const room = MAX_KEPT_CHARS - this.#keptChars;
    if (room <= 0) return;
    const kept = text.length <= room ? text : text.slice(0, room);
    this.#pieces.push(kept);
    this.#keptChars += kept.length;
  }

  /** A call, of dialects that name it once. */
  addCall(id: string, name: string): void {
    this.#toolCalls.add(id);
    this.add(name);
  }

  addMedia(): void {
    this.#hasMedia = true;
  }

  #addToolCall(call: JsonObject, choice: number): void {
    const name = textIn(objectIn(call, 'function') ?? call, 'name');
    const id =
      textIn(call, 'id') ?? (name === undefined ? undefined : `#${textIn(call, 'index') ?? name}`);
    // Later pieces of a call carry neither id nor name.
    if (id !== undefined) this.#toolCalls.add(`${choice}:${id}`);
    this.add(toolCallText(call));
  }
}
