/** Records the content of an answer, to count tokens if the upstream reports no usage. */
import {
  asObject,
  asObjects,
  asText,
  isObject,
  type JsonObject,
  objectIn,
  textIn,
} from '../../../json/read-json.ts';
import { contentOf, reasoningOf, toolCallText } from '../chat/message-parts.ts';

/** 256 K characters are enough for a fair estimate; of further text only the length is kept. */
const MAX_KEPT_CHARS = 256 * 1024;

export class DeliveredContent {
  #pieces: string[] = [];
  #keptChars = 0;
  #chars = 0;
  #hasInk = false;
  #hasMedia = false;
  readonly #toolCalls = new Set<string>();

  /** All text up to the limit: content, reasoning, refusals, tool names and arguments. */
  get text(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')];
    return this.#pieces[0] ?? '';
  }

  /** UTF-16 units delivered, including those not kept. */
  get chars(): number {
    return this.#chars;
  }

  /** UTF-16 units that `text` does not contain. */
  get uncountedChars(): number {
    return this.#chars - this.#keptChars;
  }

  get toolCalls(): number {
    return this.#toolCalls.size;
  }

  /** The client has received text, a tool call or media. */
  get hasContent(): boolean {
    return this.#chars > 0 || this.#toolCalls.size > 0 || this.#hasMedia;
  }

  get hasMedia(): boolean {
    return this.#hasMedia;
  }

  /** Nothing but white space; such an answer is not charged. */
  get isEmpty(): boolean {
    return !this.#hasInk && this.#toolCalls.size === 0 && !this.#hasMedia;
  }

  /** Records a chat message or delta of choice `index`; returns whether it had any content. */
  addMessage(message: JsonObject, index: number): boolean {
    const before = this.#chars + this.#toolCalls.size;
    this.add(reasoningOf(message));
    this.add(contentOf(message));
    this.add(asText(message.refusal) ?? '');
    for (const call of asObjects(message.tool_calls)) this.#addToolCall(call, index);
    const legacyCall = asObject(message.function_call);
    if (legacyCall) this.#addToolCall(legacyCall, index);
    const audio = asObject(message.audio);
    this.add(asText(audio?.transcript) ?? '');
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

  /** Records a call, for dialects that send its id and name once. */
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
    // Later pieces of a call have neither id nor name.
    if (id !== undefined) this.#toolCalls.add(`${choice}:${id}`);
    this.add(toolCallText(call));
  }
}
