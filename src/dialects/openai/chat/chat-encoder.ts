/** Encodes hub events as the chunks of a chat stream. */
import { toOpenAiUsage, type Usage } from '../../../domain/pricing/usage.ts';
import type { JsonObject } from '../../../json/read-json.ts';
import type { HubEvent } from '../../hub/answer/events.ts';
import { dataFrame, type WireError } from '../../hub/answer/frames.ts';
import type { SingleAnswerEncoder } from '../../hub/answer/multiple-answers.ts';
import { effectiveStop, STOPS, type Stop } from '../../hub/answer/stop.ts';
import type { Citation, Signature } from '../../hub/blocks.ts';
import type { AnswerContext } from '../../hub/dialect.ts';
import { writeChatError } from '../errors.ts';
import {
  answerId,
  audioOf,
  customInput,
  encryptedReasoningDetail,
  googleExtra,
  imageMarkdown,
  isCustomTool,
  signedReasoningDetail,
  writeChatCitation,
} from './chat-answer-parts.ts';
import type { Place } from './reasoning-place.ts';

interface OpenCall {
  readonly index: number;
  /** The input of a custom tool can be read only from complete arguments. */
  readonly isCustom: boolean;
  /** The upstream supports custom tools itself and sends the input as plain text. */
  readonly isRaw: boolean;
  args: string;
  hasArgs: boolean;
}

export class ChatEncoder implements SingleAnswerEncoder {
  readonly #context: AnswerContext;
  /** The common start of every chunk, up to the delta. */
  readonly #head: string;
  readonly #calls = new Map<number, OpenCall>();
  #isStarted = false;
  #isFinished = false;
  /** The thinking of the open block; its signature is sent together with all of it. */
  #thoughts: string | undefined;
  #details = 0;
  #chars = 0;
  #blockStart = 0;

  constructor(context: AnswerContext, index = 0) {
    this.#context = context;
    const { createdSec, model, wantsUsage } = context;
    const facts = {
      id: answerId(context),
      object: 'chat.completion.chunk',
      created: createdSec,
      model,
    };
    const usage = wantsUsage ? '"usage":null,' : '';
    this.#head = `${JSON.stringify(facts).slice(0, -1)},${usage}"choices":[{"index":${index},"delta":`;
  }

  encode(events: readonly HubEvent[]): string {
    let frames = '';
    for (const event of events) frames += this.#write(event);
    return frames;
  }

  close(): string {
    return this.#finish(undefined);
  }

  end(usage?: Usage): string {
    const closing = this.close();
    const { wantsUsage, createdSec, model } = this.#context;
    if (!wantsUsage || usage === undefined) return `${closing}data: [DONE]\n\n`;
    const facts = { id: answerId(this.#context), object: 'chat.completion.chunk' };
    const chunk = {
      ...facts,
      created: createdSec,
      model,
      choices: [],
      usage: toOpenAiUsage(usage),
    };
    return `${closing}${dataFrame(JSON.stringify(chunk))}data: [DONE]\n\n`;
  }

  fail(error: WireError): string {
    return `${dataFrame(JSON.stringify(writeChatError(error)))}data: [DONE]\n\n`;
  }

  ping(): string {
    return ': PING\n\n';
  }

  #write(event: HubEvent): string {
    switch (event.kind) {
      case 'start':
        return this.#start();
      case 'text':
        return this.#text(event.text);
      case 'thinking':
        this.#thoughts = (this.#thoughts ?? '') + event.text;
        return event.text === '' ? '' : this.#chunk({ reasoning_content: event.text });
      case 'signature':
        return this.#sign(event.signature);
      case 'redacted_thinking':
        return this.#chunk({
          reasoning_details: [encryptedReasoningDetail(event, this.#details++, this.#place)],
        });
      case 'refusal':
        return this.#chunk({ refusal: event.text });
      case 'citation':
        return this.#cite(event.citation);
      case 'media':
        return event.block.kind === 'image'
          ? this.#text(imageMarkdown(event.block))
          : this.#chunk({ audio: audioOf(event.block, this.#context) });
      case 'block_end':
        this.#thoughts = undefined;
        this.#blockStart = this.#chars;
        return '';
      case 'tool_start':
      case 'tool_args':
      case 'tool_end':
        return this.#tool(event);
      case 'finish':
        return this.#finish(event.stop);
      // Usage is sent once, at the end; `fail` sends the error.
      case 'usage':
      case 'error':
      case 'choice':
      // Clients of this dialect cannot ask for one.
      case 'compaction':
        return '';
      default:
        return event satisfies never;
    }
  }

  get #place(): Place {
    return { chars: this.#chars, calls: this.#calls.size };
  }

  #start(): string {
    if (this.#isStarted) return '';
    this.#isStarted = true;
    return this.#frame({ role: 'assistant', content: '' }, null);
  }

  #chunk(delta: JsonObject): string {
    return this.#start() + this.#frame(delta, null);
  }

  #frame(delta: JsonObject, finishReason: string | null): string {
    const tail = `,"logprobs":null,"finish_reason":${JSON.stringify(finishReason)}}]}`;
    return `data: ${this.#head}${JSON.stringify(delta)}${tail}\n\n`;
  }

  #text(text: string): string {
    this.#thoughts = undefined;
    this.#chars += text.length;
    return text === '' ? '' : this.#chunk({ content: text });
  }

  #sign(signature: Signature): string {
    const thoughts = this.#thoughts;
    if (signature.origin === 'gemini' && thoughts === undefined)
      return this.#chunk({ extra_content: googleExtra(signature) });
    this.#thoughts = undefined;
    const detail = signedReasoningDetail(
      { text: thoughts ?? '', signature },
      this.#details++,
      this.#place,
    );
    return this.#chunk({ reasoning_details: [detail] });
  }

  #cite(citation: Citation): string {
    const range = { start: this.#blockStart, end: this.#chars };
    return this.#chunk({ annotations: [writeChatCitation(citation, range)] });
  }

  #tool(event: Extract<HubEvent, { slot: number }>): string {
    if (event.kind === 'tool_start') return this.#toolStart(event);
    const call = this.#calls.get(event.slot);
    if (call === undefined) return '';
    if (event.kind === 'tool_args') {
      call.hasArgs ||= event.json !== '';
      if (!call.isCustom) return event.json === '' ? '' : this.#args(call, event.json);
      call.args += event.json;
      return '';
    }
    if (call.isCustom) {
      const custom = { input: call.isRaw ? call.args : customInput(call.args) };
      return this.#chunk({ tool_calls: [{ index: call.index, custom }] });
    }
    return call.hasArgs ? '' : this.#args(call, '{}');
  }

  #toolStart(event: Extract<HubEvent, { kind: 'tool_start' }>): string {
    this.#thoughts = undefined;
    const { slot, id, name, signature } = event;
    const index = this.#calls.size;
    const custom = isCustomTool(this.#context, name);
    const isRaw = event.custom === true;
    this.#calls.set(slot, { index, isCustom: custom, isRaw, args: '', hasArgs: false });
    const signed = signature?.origin === 'gemini' ? { extra_content: googleExtra(signature) } : {};
    const call = custom
      ? { index, id, type: 'custom', custom: { name, input: '' } }
      : { index, id, type: 'function', function: { name, arguments: '' }, ...signed };
    return this.#chunk({ tool_calls: [call] });
  }

  #args({ index }: OpenCall, json: string): string {
    return this.#chunk({ tool_calls: [{ index, function: { arguments: json } }] });
  }

  #finish(stop: Stop | undefined): string {
    if (this.#isFinished) return '';
    const start = this.#start();
    this.#isFinished = true;
    const reason = STOPS[effectiveStop(stop, this.#calls.size > 0)].chat;
    return start + this.#frame({}, reason);
  }
}
