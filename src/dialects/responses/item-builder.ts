/**
 * Builds the output items of a response from hub events and returns each step as a stream event.
 * Adjacent texts are parts of one message; reasoning and calls are separate items, and calls may be
 * interleaved.
 */
import { AppError } from '../../domain/errors/errors.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import type { Citation, Signature } from '../hub/blocks.ts';
import type { AnswerContext } from '../hub/dialect.ts';
import { isCustomTool } from '../openai/chat/chat-answer-parts.ts';
import {
  imageBytesOf,
  imageItem,
  mediaText,
  messageItem,
  reasoningItem,
  summaryPart,
  writeAnnotation,
} from './answer-parts.ts';
import {
  writeEncryptedReasoning,
  writeRedactedReasoning,
  writeSummary,
} from './encrypted-reasoning.ts';
import { calledAs } from './namespaces.ts';
import { OpenCall, type ResponsesEvent } from './open-call.ts';
import { type ItemPart, type OpenItem, partOf } from './open-item.ts';

/** The closing event contains the whole answer; the stream is ended beyond this size. */
const MAX_CHARS = 64 * 1024 * 1024;

export class ItemBuilder {
  readonly #context: AnswerContext;
  /** Open items leave gaps. */
  readonly #items: (JsonObject | undefined)[] = [];
  readonly #calls = new Map<number, OpenCall>();
  #open: OpenItem | undefined;
  #part: ItemPart | undefined;
  /** Citations before the text that they belong to. */
  readonly #early: Citation[] = [];
  #count = 0;
  #chars = 0;
  #steps: ResponsesEvent[] = [];
  hasCalls = false;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  /** The completed items, in order. */
  get output(): readonly JsonObject[] {
    return this.#items.filter((item) => item !== undefined);
  }

  /** @throws AppError upstream_too_large */
  take(event: HubEvent): readonly ResponsesEvent[] {
    this.#take(event);
    return this.#takeSteps();
  }

  /** Closes everything that is still open. */
  close(): readonly ResponsesEvent[] {
    this.#close();
    for (const slot of [...this.#calls.keys()]) this.#endCall(slot);
    return this.#takeSteps();
  }

  #takeSteps(): readonly ResponsesEvent[] {
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }

  #take(event: HubEvent): void {
    switch (event.kind) {
      case 'text':
        this.#addText('text', event.text);
        return;
      case 'refusal':
        this.#addText('refusal', event.text);
        return;
      case 'thinking':
        this.#think(event.text);
        return;
      case 'signature':
        this.#sign(event.signature);
        return;
      case 'redacted_thinking':
        this.#redacted(event);
        return;
      case 'compaction':
        this.#compacted(event.text);
        return;
      case 'citation':
        this.#cite(event.citation);
        return;
      case 'media':
        this.#show(event.block);
        return;
      // This dialect has no option for several answers.
      case 'choice':
        return;
      case 'block_end':
        // A message stays open; further text becomes its next part.
        if (this.#open?.kind === 'message') this.#closePart();
        else this.#close();
        return;
      case 'tool_start':
        this.#startCall(event);
        return;
      case 'tool_args':
        this.#addArgs(event.slot, event.json);
        return;
      case 'tool_end':
        this.#endCall(event.slot);
        return;
      // These concern the response, not its items.
      case 'start':
      case 'usage':
      case 'finish':
      case 'error':
        return;
      default:
        event satisfies never;
    }
  }

  #emit(type: string, fields: JsonObject): void {
    this.#steps.push({ type: `response.${type}`, fields });
  }

  #keep(text: string): void {
    this.#chars += text.length;
    if (this.#chars > MAX_CHARS) throw new AppError('upstream_too_large');
  }

  #newItem(prefix: string): { readonly index: number; readonly id: string } {
    const index = this.#count;
    this.#count += 1;
    return { index, id: `${prefix}_${this.#context.id}_${index}` };
  }

  #added(index: number, item: JsonObject): void {
    this.#emit('output_item.added', { output_index: index, item });
  }

  #done(index: number, item: JsonObject): void {
    this.#items[index] = item;
    this.#emit('output_item.done', { output_index: index, item });
  }

  #message(): Extract<OpenItem, { kind: 'message' }> {
    if (this.#open?.kind === 'message') return this.#open;
    this.#close();
    const open = { kind: 'message', ...this.#newItem('msg'), parts: [] } as const;
    this.#added(open.index, messageItem(open.id, 'in_progress', []));
    const item = { ...open, parts: [] };
    this.#open = item;
    return item;
  }

  #addText(kind: ItemPart['kind'], text: string): void {
    if (text === '') return;
    const message = this.#message();
    const part = this.#openPart(message, kind);
    this.#keep(text);
    part.text += text;
    const rest = kind === 'text' ? { logprobs: [] } : {};
    const type = kind === 'text' ? 'output_text.delta' : 'refusal.delta';
    this.#emit(type, { ...this.#positionOf(message), delta: text, ...rest });
    if (kind === 'text') for (const citation of this.#early.splice(0)) this.#cite(citation);
  }

  #openPart(message: Extract<OpenItem, { kind: 'message' }>, kind: ItemPart['kind']): ItemPart {
    if (this.#part?.kind === kind) return this.#part;
    this.#closePart();
    const part = { kind, text: '', annotations: [] };
    this.#part = part;
    this.#emit('content_part.added', { ...this.#positionOf(message), part: partOf(part) });
    return part;
  }

  #positionOf({ id, index, parts }: Extract<OpenItem, { kind: 'message' }>): JsonObject {
    return { item_id: id, output_index: index, content_index: parts.length };
  }

  #closePart(): void {
    const part = this.#part;
    if (part === undefined || this.#open?.kind !== 'message') return;
    const position = this.#positionOf(this.#open);
    const partJson = partOf(part);
    if (part.kind === 'text')
      this.#emit('output_text.done', { ...position, text: part.text, logprobs: [] });
    else this.#emit('refusal.done', { ...position, refusal: part.text });
    this.#emit('content_part.done', { ...position, part: partJson });
    this.#open.parts.push(partJson);
    this.#part = undefined;
  }

  #cite(citation: Citation): void {
    if (this.#part?.kind !== 'text' || this.#open?.kind !== 'message') {
      this.#early.push(citation);
      return;
    }
    const { annotations, text } = this.#part;
    const annotation = writeAnnotation(citation, { start: 0, end: text.length });
    const position = { ...this.#positionOf(this.#open), annotation_index: annotations.length };
    annotations.push(annotation);
    this.#emit('output_text.annotation.added', { ...position, annotation });
  }

  #reasoning(): Extract<OpenItem, { kind: 'reasoning' }> {
    if (this.#open?.kind === 'reasoning') return this.#open;
    this.#close();
    const position = this.#newItem('rs');
    const open = { kind: 'reasoning' as const, ...position, text: '', proof: undefined };
    this.#open = open;
    this.#added(open.index, reasoningItem(open.id, '', undefined));
    return open;
  }

  #think(text: string): void {
    const open = this.#reasoning();
    if (text === '') return;
    const position = { item_id: open.id, output_index: open.index, summary_index: 0 };
    if (open.text === '')
      this.#emit('reasoning_summary_part.added', { ...position, part: summaryPart('') });
    this.#keep(text);
    open.text += text;
    this.#emit('reasoning_summary_text.delta', { ...position, delta: text });
  }

  /** Text has no field for a signature, and Gemini's signature of text need not be sent back. */
  #sign(signature: Signature): void {
    if (this.#part !== undefined && signature.origin === 'gemini') return;
    this.#reasoning().proof = writeEncryptedReasoning(signature);
  }

  #redacted(event: Extract<HubEvent, { kind: 'redacted_thinking' }>): void {
    this.#close();
    this.#reasoning().proof = writeRedactedReasoning(event);
    this.#close();
  }

  #compacted(text: string): void {
    this.#close();
    const { index, id } = this.#newItem('cmp');
    const item = { type: 'compaction', id, encrypted_content: writeSummary(text) };
    this.#keep(text);
    this.#added(index, item);
    this.#done(index, item);
  }

  #show(block: Extract<HubEvent, { kind: 'media' }>['block']): void {
    const data = imageBytesOf(block);
    if (data === undefined) {
      this.#addText('text', mediaText(block));
      return;
    }
    this.#close();
    const { index, id } = this.#newItem('ig');
    const item = imageItem(id, data);
    this.#keep(data);
    this.#added(index, { ...item, status: 'in_progress', result: null });
    this.#emit('image_generation_call.completed', { item_id: id, output_index: index });
    this.#done(index, item);
  }

  /** A call has no signature field, so the signature is set on a reasoning item before it. */
  #startCall(event: Extract<HubEvent, { kind: 'tool_start' }>): void {
    const { slot, id: callId, name, signature, custom } = event;
    if (signature !== undefined) this.#reasoning().proof ??= writeEncryptedReasoning(signature);
    this.#close();
    this.hasCalls = true;
    const isFree = isCustomTool(this.#context, name);
    const called = calledAs(name, this.#context.tools);
    const position = this.#newItem(isFree ? 'ctc' : 'fc');
    const isWrapped = isFree && custom !== true;
    const call = new OpenCall({ ...position, callId, ...called, isCustom: isFree }, isWrapped);
    this.#calls.set(slot, call);
    this.#added(call.index, call.begun);
  }

  #addArgs(slot: number, json: string): void {
    this.#keep(json);
    this.#steps.push(...(this.#calls.get(slot)?.add(json) ?? []));
  }

  #endCall(slot: number): void {
    const call = this.#calls.get(slot);
    if (call === undefined) return;
    this.#calls.delete(slot);
    const { steps, item } = call.end();
    this.#steps.push(...steps);
    this.#done(call.index, item);
  }

  #close(): void {
    const open = this.#open;
    if (open?.kind === 'message') {
      this.#closePart();
      this.#done(open.index, messageItem(open.id, 'completed', open.parts));
    } else if (open?.kind === 'reasoning') this.#closeReasoning(open);
    this.#open = undefined;
  }

  #closeReasoning({ id, index, text, proof }: Extract<OpenItem, { kind: 'reasoning' }>): void {
    if (text !== '') {
      const position = { item_id: id, output_index: index, summary_index: 0 };
      this.#emit('reasoning_summary_text.done', { ...position, text });
      this.#emit('reasoning_summary_part.done', { ...position, part: summaryPart(text) });
    }
    this.#done(index, reasoningItem(id, text, proof));
  }
}
