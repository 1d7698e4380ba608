/**
 * Encodes hub events as Gemini's stream: frames with partial answers, as SSE events or as the
 * elements of one JSON array. A tool call is sent once its arguments are complete; the last frame
 * has stop reason and usage.
 */
import { emptyUsage, type Usage } from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import type { WireError } from '../hub/answer/frames.ts';
import type { SingleAnswerEncoder } from '../hub/answer/multiple-answers.ts';
import { STOPS, type Stop } from '../hub/answer/stop.ts';
import { type Citation, parsedToolArguments } from '../hub/blocks.ts';
import type { AnswerContext } from '../hub/dialect.ts';
import { type PendingToolCall, PendingToolCalls } from '../hub/tools/pending-tool-calls.ts';
import {
  callPart,
  geminiAnswerStart,
  mediaPart,
  redactedPart,
  signaturePart,
  writeGrounding,
} from './answer-parts.ts';
import { writeGeminiError } from './errors.ts';
import { toGeminiUsage } from './usage.ts';

export class GeminiEncoder implements SingleAnswerEncoder {
  readonly #context: AnswerContext;
  /** The common end of all frames: model and response id. */
  readonly #tail: string;
  readonly #tools = new PendingToolCalls();
  readonly #citations: Citation[] = [];
  #stop: Stop = 'end';
  readonly #index: number;
  readonly #list: { isOpen: boolean };
  #isThinking = false;

  /** `list`: state of the JSON array that all answers share. */
  constructor(context: AnswerContext, index = 0, list = { isOpen: false }) {
    this.#context = context;
    this.#index = index;
    this.#list = list;
    this.#tail = JSON.stringify(geminiAnswerStart(context)).slice(1);
  }

  encode(events: readonly HubEvent[]): string {
    let frames = '';
    for (const event of events) frames += this.#write(event);
    return frames;
  }

  close(): string {
    return this.#last({});
  }

  end(usage?: Usage): string {
    const last = this.#last({ usageMetadata: toGeminiUsage(usage ?? emptyUsage()) });
    return last + (this.#context.asList ? ']' : '');
  }

  fail(error: WireError): string {
    return this.#raw(JSON.stringify(writeGeminiError(error))) + (this.#context.asList ? ']' : '');
  }

  /** Google's SDKs treat a comment as a broken frame. */
  ping(): string {
    return '';
  }

  #write(event: HubEvent): string {
    switch (event.kind) {
      case 'text':
      case 'refusal':
        this.#isThinking = false;
        return event.text === '' ? '' : this.#part({ text: event.text });
      case 'thinking':
        this.#isThinking = true;
        return event.text === '' ? '' : this.#part({ text: event.text, thought: true });
      case 'signature':
        return this.#part(signaturePart(event.signature, this.#isThinking));
      case 'redacted_thinking':
        return this.#part(redactedPart(event));
      case 'media':
        return this.#parts(mediaPart(event.block));
      case 'citation':
        this.#citations.push(event.citation);
        return '';
      case 'tool_start':
      case 'tool_args':
      case 'tool_end':
        this.#tools.take(event);
        return event.kind === 'tool_end' ? this.#doneCalls() : '';
      case 'finish':
        this.#stop = event.stop;
        return '';
      // There is no separate start frame; `end` sends the usage, `fail` the error.
      case 'start':
      // Clients of this dialect cannot ask for one.
      case 'compaction':
      case 'block_end':
      case 'usage':
      case 'error':
      case 'choice':
        return '';
      default:
        return event satisfies never;
    }
  }

  #last(more: JsonObject): string {
    const calls = this.#calls();
    const candidate = {
      content: { role: 'model', parts: [] },
      finishReason: STOPS[this.#stop].gemini,
      index: this.#index,
      ...writeGrounding(this.#citations),
    };
    return calls + this.#frame({ candidates: [candidate], ...more });
  }

  #part(part: JsonObject): string {
    return this.#calls() + this.#parts([part]);
  }

  #parts(parts: readonly JsonObject[]): string {
    if (parts.length === 0) return '';
    return this.#frame({ candidates: [{ content: { role: 'model', parts }, index: this.#index }] });
  }

  #doneCalls(): string {
    const calls: PendingToolCall[] = [];
    for (let first = this.#tools.first; first?.isOver; first = this.#tools.first) {
      calls.push(first);
      this.#tools.shift();
    }
    return this.#parts(calls.map(writeCall));
  }

  /** Writes all pending calls; the content that follows means that they are complete. */
  #calls(): string {
    const calls: PendingToolCall[] = [];
    for (let first = this.#tools.first; first !== undefined; first = this.#tools.first) {
      calls.push(first);
      this.#tools.shift();
    }
    return this.#parts(calls.map(writeCall));
  }

  #frame(answer: JsonObject): string {
    return this.#raw(`${JSON.stringify(answer).slice(0, -1)},${this.#tail}`);
  }

  #raw(json: string): string {
    if (!this.#context.asList) return `data: ${json}\r\n\r\n`;
    const opening = this.#list.isOpen ? ',\r\n' : '[';
    this.#list.isOpen = true;
    return opening + json;
  }
}

function writeCall({ id, name, args, signature }: PendingToolCall): JsonObject {
  return callPart({ id, name, args: parsedToolArguments(args), signature });
}
