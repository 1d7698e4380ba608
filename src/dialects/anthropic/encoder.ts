/**
 * Encodes hub events as Anthropic's stream. Its blocks have consecutive indexes and never overlap:
 * each is stopped before the next one starts, so parallel calls are buffered.
 */
import { emptyUsage, type Usage } from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import { namedFrame, type WireError } from '../hub/answer/frames.ts';
import { effectiveStop, STOPS, type Stop } from '../hub/answer/stop.ts';
import type { Citation, Signature } from '../hub/blocks.ts';
import type { AnswerContext, Encoder } from '../hub/dialect.ts';
import { packSignature } from '../hub/thinking/signature.ts';
import { type PendingToolCall, PendingToolCalls } from '../hub/tools/pending-tool-calls.ts';
import { anthropicMessageStart, imageText, writeAnthropicCitation } from './answer-parts.ts';
import { writeAnthropicError } from './errors.ts';
import { toAnthropicUsage } from './usage.ts';

type OpenBlock =
  | { readonly kind: 'text' | 'thinking' }
  | { readonly kind: 'tool'; readonly tool: PendingToolCall };

const SILENCE = namedFrame('ping', '{"type":"ping"}');

export class AnthropicEncoder implements Encoder {
  readonly #context: AnswerContext;
  readonly #tools = new PendingToolCalls();
  #isStarted = false;
  #open: OpenBlock | undefined;
  #index = 0;
  /** Citations before the text that they belong to. */
  readonly #early: Citation[] = [];
  #hasCalls = false;
  #stop: Stop | undefined;
  #stopSequence: string | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  encode(events: readonly HubEvent[]): string {
    let frames = '';
    for (const event of events) frames += this.#write(event);
    return frames;
  }

  end(usage?: Usage): string {
    const closing = this.#start() + this.#closeTools() + this.#close();
    const delta = {
      stop_reason: STOPS[effectiveStop(this.#stop, this.#hasCalls)].anthropic,
      stop_sequence: this.#stopSequence ?? null,
    };
    const counted = toAnthropicUsage(usage ?? this.#promptUsage());
    return closing + frame('message_delta', { delta, usage: counted }) + frame('message_stop', {});
  }

  /** Sends no closing frames, so that a client does not treat the answer as complete. */
  fail(error: WireError): string {
    return namedFrame('error', JSON.stringify(writeAnthropicError(error)));
  }

  ping(): string {
    return SILENCE;
  }

  #write(event: HubEvent): string {
    switch (event.kind) {
      case 'start':
        return this.#start();
      case 'text':
      case 'refusal':
        return this.#text(event.text);
      case 'thinking':
        return this.#opened('thinking') + this.#thought(event.text);
      case 'signature':
        return this.#sign(event.signature);
      case 'redacted_thinking':
        return this.#redacted(event);
      case 'citation':
        return this.#cite(event.citation);
      case 'media':
        return this.#text(imageText(event.block));
      // This dialect has no option for several answers.
      case 'choice':
        return '';
      case 'block_end':
        return this.#open?.kind === 'tool' ? '' : this.#close();
      case 'tool_start':
      case 'tool_args':
      case 'tool_end':
        return this.#tool(event);
      case 'finish':
        this.#stop = event.stop;
        this.#stopSequence = event.stopSequence;
        return '';
      // `end` sends the usage, `fail` the error.
      case 'usage':
      case 'error':
      // Only this dialect's own models return one, and their answers are not translated.
      case 'compaction':
        return '';
      default:
        return event satisfies never;
    }
  }

  #start(): string {
    if (this.#isStarted) return '';
    this.#isStarted = true;
    const usage = toAnthropicUsage(this.#promptUsage());
    const message = { ...anthropicMessageStart(this.#context), content: [], stop_reason: null };
    return (
      frame('message_start', { message: { ...message, stop_sequence: null, usage } }) + SILENCE
    );
  }

  #promptUsage(): Usage {
    return { ...emptyUsage(), input: this.#context.promptTokens ?? 0 };
  }

  #text(text: string): string {
    if (text === '') return '';
    const opening =
      this.#opened('text') +
      this.#early
        .splice(0)
        .map((one) => this.#cite(one))
        .join('');
    return opening + this.#delta({ type: 'text_delta', text });
  }

  #thought(thinking: string): string {
    return thinking === '' ? '' : this.#delta({ type: 'thinking_delta', thinking });
  }

  /** Opens a block of this kind unless one is open; completes all pending tool calls first. */
  #opened(kind: 'text' | 'thinking'): string {
    if (this.#open?.kind === kind) return '';
    return this.#closeTools() + this.#opening(kind);
  }

  #opening(kind: 'text' | 'thinking'): string {
    const closing = this.#start() + this.#close();
    this.#open = { kind };
    const block =
      kind === 'text'
        ? { type: 'text', text: '' }
        : { type: 'thinking', thinking: '', signature: '' };
    return closing + this.#blockStart(block);
  }

  /** Drops Gemini's signatures of text: there is no field for them, and no vendor requires them. */
  #sign(signature: Signature): string {
    if (this.#open?.kind === 'text' && signature.origin === 'gemini') return '';
    return this.#opened('thinking') + this.#signed(signature);
  }

  /** Tool blocks have no signature field, so a thinking block before it has the signature. */
  #signBefore(signature: Signature | undefined): string {
    if (signature === undefined) return '';
    const opening = this.#open?.kind === 'thinking' ? '' : this.#opening('thinking');
    return opening + this.#signed(signature);
  }

  #signed(given: Signature): string {
    const signature = packSignature(given, 'anthropic');
    const signed = this.#delta({ type: 'signature_delta', signature });
    return signed + this.#stopBlock();
  }

  #redacted({ origin, data }: Extract<HubEvent, { kind: 'redacted_thinking' }>): string {
    const closing = this.#start() + this.#closeTools() + this.#close();
    const packed = packSignature({ origin, value: data }, 'anthropic');
    const start = this.#blockStart({ type: 'redacted_thinking', data: packed });
    return closing + start + this.#stopBlock();
  }

  #cite(citation: Citation): string {
    if (this.#open?.kind !== 'text') {
      this.#early.push(citation);
      return '';
    }
    return this.#delta({ type: 'citations_delta', citation: writeAnthropicCitation(citation) });
  }

  #tool(event: Extract<HubEvent, { slot: number }>): string {
    this.#hasCalls = true;
    const tool = this.#tools.take(event);
    if (tool === undefined) return '';
    const isOpen = this.#open?.kind === 'tool' && this.#open.tool === tool;
    const piece = isOpen && event.kind === 'tool_args' ? this.#argsDelta(event.json) : '';
    return piece + this.#advance();
  }

  /** Opens the first pending call, and closes calls that are complete. */
  #advance(): string {
    let frames = '';
    for (let first = this.#tools.first; first !== undefined; first = this.#tools.first) {
      if (this.#open?.kind !== 'tool') frames += this.#openTool(first);
      if (!this.#tools.firstIsDone) break;
      this.#tools.shift();
      frames += this.#stopBlock();
    }
    return frames;
  }

  #openTool(tool: PendingToolCall): string {
    const { id, name, signature } = tool;
    const closing = this.#start() + this.#signBefore(signature) + this.#close();
    this.#open = { kind: 'tool', tool };
    const start = this.#blockStart({ type: 'tool_use', id, name, input: {} });
    return closing + start + this.#argsDelta(tool.args);
  }

  #argsDelta(json: string): string {
    return json === '' ? '' : this.#delta({ type: 'input_json_delta', partial_json: json });
  }

  /** Writes and closes all pending calls in order. */
  #closeTools(): string {
    let frames = '';
    for (let first = this.#tools.first; first !== undefined; first = this.#tools.first) {
      if (this.#open?.kind !== 'tool') frames += this.#openTool(first);
      this.#tools.shift();
      frames += this.#stopBlock();
    }
    return frames;
  }

  /** Clients expect a signature on thinking, even an empty one. */
  #close(): string {
    if (this.#open === undefined) return '';
    const isThinking = this.#open.kind === 'thinking';
    const signed = isThinking ? this.#delta({ type: 'signature_delta', signature: '' }) : '';
    return signed + this.#stopBlock();
  }

  #blockStart(block: JsonObject): string {
    return frame('content_block_start', { index: this.#index, content_block: block });
  }

  #delta(delta: JsonObject): string {
    return frame('content_block_delta', { index: this.#index, delta });
  }

  #stopBlock(): string {
    this.#open = undefined;
    const stopped = frame('content_block_stop', { index: this.#index });
    this.#index += 1;
    return stopped;
  }
}

function frame(type: string, fields: JsonObject): string {
  return namedFrame(type, JSON.stringify({ type, ...fields }));
}
