/**
 * Reads streams of images, speech and transcripts. Events are forwarded unchanged; the last one,
 * which carries the usage, waits for the settlement.
 */

import type {
  AnswerReader,
  Counted,
  FrameForwarding,
} from '../../dialects/hub/answer/answer-reader.ts';
import {
  dataFrame,
  namedFrame,
  type StreamFrame,
  type WireError,
} from '../../dialects/hub/answer/frames.ts';
import { DeliveredContent } from '../../dialects/openai/answer/delivered-content.ts';
import { openAiError, withRequestId } from '../../domain/errors/error-shapes.ts';
import { emptyUsage, readOpenAiUsage, type Usage } from '../../domain/pricing/usage.ts';
import { transcriptionTokens } from '../../domain/token-count/token-estimate.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  parseJson,
  textIn,
} from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';

/** Names of events that complete an item. */
const LAST = /^(speech\.audio\.done|transcript\.text\.done|image_(generation|edit)\.completed)$/;
const IMAGE = /^image_(generation|edit)\.(completed|partial_succeeded)$/;
const BASE64_BYTES = 0.75;

export class EventReader implements AnswerReader {
  readonly delivered = new DeliveredContent();
  counted: Counted | undefined;
  error: UpstreamError | undefined;
  sawDone = false;
  isComplete = false;
  /** Images completed. */
  images = 0;
  audioBytes = 0;
  readonly #wanted: number;
  #held = '';
  #mark = '';

  /** `wanted`: how many completing events are expected. */
  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  read(frame: StreamFrame): FrameForwarding | { readonly frames: string } {
    if (frame.data.startsWith('[DONE]')) {
      this.sawDone = true;
      this.#mark = dataFrame('[DONE]');
      return 'drop';
    }
    const json = parseJson(frame.data);
    this.error = errorInSuccess(json);
    if (this.error !== undefined || !isObject(json)) return 'drop';
    const before = this.#held;
    this.#held = '';
    if (this.#note(textIn(json, 'type') ?? frame.event, json)) {
      this.#held = textOf(frame);
      return before === '' ? 'drop' : { frames: before };
    }
    return before === '' ? 'as-is' : { frames: before + textOf(frame) };
  }

  /** Returns whether the event completes an item. */
  #note(type: string, json: JsonObject): boolean {
    this.#noteContent(type, json);
    if (!LAST.test(type)) return false;
    this.isComplete = true;
    this.sawDone ||= Math.max(this.images, 1) >= this.#wanted;
    const usage = usageOf(json);
    if (usage !== undefined) this.counted = { usage, isPartial: false };
    return true;
  }

  #noteContent(type: string, json: JsonObject): void {
    const isImage = json.b64_json !== undefined || json.url !== undefined;
    if (isImage || json.audio !== undefined) this.delivered.addMedia();
    if (isImage && IMAGE.test(type)) this.images += 1;
    if (typeof json.audio === 'string') this.audioBytes += json.audio.length * BASE64_BYTES;
    this.delivered.add(textIn(json, 'delta') ?? '');
    // Some upstreams send the whole text only at the end.
    if (type === 'transcript.text.done' && this.delivered.isEmpty)
      this.delivered.add(textIn(json, 'text') ?? '');
  }

  /** The last event completes the answer, even for a silent recording. */
  get hasAnswer(): boolean {
    return this.isComplete;
  }

  end(): string {
    return '';
  }

  closing(): string {
    return this.#held + this.#mark;
  }

  fail({ requestId = '', ...error }: WireError): string {
    const body = openAiError({ ...error, message: withRequestId(error.message, requestId) });
    return dataFrame(JSON.stringify(body));
  }

  ping(): string {
    return ': PING\n\n';
  }
}

function textOf({ event, data }: StreamFrame): string {
  return event === '' ? dataFrame(data) : namedFrame(event, data);
}

function usageOf(json: JsonObject): Usage | undefined {
  const usage = objectIn(json, 'usage');
  const seconds = numberIn(usage, 'seconds');
  const counted = readOpenAiUsage(usage);
  if (counted !== undefined || seconds === undefined) return counted;
  return { ...emptyUsage(), input: transcriptionTokens(seconds) };
}
