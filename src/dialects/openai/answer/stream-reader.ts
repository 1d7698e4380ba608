/**
 * Reads a stream of chat or text completion chunks on its way to the client: records usage, content
 * and finish reasons, and decides for each frame whether its bytes are forwarded unchanged. A frame
 * is rewritten only where the client must not see the original.
 */
import { openAiError, withRequestId } from '../../../domain/errors/error-shapes.ts';
import {
  readOpenAiUsage,
  toOpenAiUsage,
  type Usage,
  withTier,
} from '../../../domain/pricing/usage.ts';
import { renderJson } from '../../../json/edit-json-text.ts';
import {
  asObjects,
  asText,
  isObject,
  type JsonObject,
  parseJson,
  textIn,
} from '../../../json/read-json.ts';
import { errorInSuccess } from '../../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../../upstream-errors/upstream-error.ts';
import type {
  AnswerIdentity,
  AnswerReader,
  Counted,
  ForwardedReading,
  FrameForwarding,
} from '../../hub/answer/answer-reader.ts';
import { failureOfStop } from '../../hub/answer/failed-stop.ts';
import { dataFrame, type StreamFrame, type WireError } from '../../hub/answer/frames.ts';
import { hasAnswer } from '../../hub/answer/has-answer.ts';
import { stopOfChat } from '../../hub/answer/stop.ts';
import { DeliveredContent } from './delivered-content.ts';
import { findUsage } from './usage-reader.ts';

/** Changes a frame for a channel setting; returns the same object if nothing changes. */
export interface FrameReshaper {
  reshape(frame: JsonObject): JsonObject;
}

export type TextEndpoint = 'chat' | 'completions';

/** Where OpenAI writes it; removed as text, because every chunk contains it. */
const NULL_USAGE = ',"usage":null}';

const OBJECTS = { chat: 'chat.completion.chunk', completions: 'text_completion' } as const;

/** Finish reasons that mean a failure: Zhipu, OpenRouter, Mistral. */
const FAILED_FINISHES: ReadonlySet<string> = new Set(['error', 'network_error']);

export class ChatStreamReader implements AnswerReader {
  /** Everything sent to the client, except error texts. */
  readonly delivered = new DeliveredContent();
  /** The last usage the upstream reported, unchanged. */
  usage: JsonObject | undefined;
  /** The upstream failed within the stream. Nothing is forwarded afterwards. */
  error: UpstreamError | undefined;
  sawDone = false;
  /** Number of frames that were not JSON. */
  garbledFrames = 0;

  /** The `service_tier` of the chunks. */
  tier: string | undefined;
  readonly #endpoint: TextEndpoint;
  readonly #reading: ForwardedReading;
  readonly #reshapers: readonly FrameReshaper[];
  /** Finish reason by choice index; '' while the choice is open. */
  readonly #choices = new Map<number, string>();
  #usageFrame: { readonly data: string; readonly frame: JsonObject } | undefined;
  #identity: AnswerIdentity | undefined;

  constructor(
    endpoint: TextEndpoint,
    reading: ForwardedReading,
    reshapers: readonly FrameReshaper[] = [],
  ) {
    this.#endpoint = endpoint;
    this.#reading = reading;
    this.#reshapers = reshapers;
  }

  get counted(): Counted | undefined {
    const usage = this.usage && withTier(readOpenAiUsage(this.usage), this.tier);
    return usage && { usage, isPartial: false };
  }

  get hasAnswer(): boolean {
    const { delivered, counted, finishReasons } = this;
    const stops = finishReasons.map(stopOfChat);
    return hasAnswer({ delivered, usage: counted?.usage, stops });
  }

  /**
   * The upstream sent `[DONE]`, or every choice has a finish reason. Any other stream was cut off,
   * even if the connection closed normally.
   */
  get isComplete(): boolean {
    if (this.error !== undefined) return false;
    const reasons = [...this.#choices.values()];
    return this.sawDone || (reasons.length > 0 && reasons.every((reason) => reason !== ''));
  }

  get finishReasons(): readonly string[] {
    return [...this.#choices.values()].filter((reason) => reason !== '');
  }

  read({ event, data }: StreamFrame): FrameForwarding {
    return this.#reading.isSideEvent?.(event) ? 'as-is' : this.readData(data);
  }

  /** `data` is the data of one event. The end marker is never forwarded; `tail` writes it. */
  readData(data: string): FrameForwarding {
    if (this.sawDone || this.error !== undefined) return 'drop';
    if (data.startsWith('[DONE]')) {
      this.sawDone = true;
      return 'drop';
    }
    const frame = parseJson(data);
    this.error = frameError(frame);
    if (this.error !== undefined) return 'drop';
    if (!isObject(frame)) {
      this.garbledFrames++;
      return 'drop';
    }
    return this.#readFrame(data, frame);
  }

  /**
   * The frames after the last one of a complete stream: the usage if the client requested it, and
   * the end marker. `estimate` is used if the upstream reported no usage.
   */
  tail(estimate?: JsonObject): readonly string[] {
    const usage = this.usage ?? estimate;
    if (!this.#reading.clientAskedUsage || usage === undefined) return ['[DONE]'];
    return [this.#usageChunk(usage), '[DONE]'];
  }

  end(): string {
    return '';
  }

  closing(usage: Usage | undefined): string {
    const estimate = usage === undefined ? undefined : { ...toOpenAiUsage(usage) };
    return this.tail(estimate).map(dataFrame).join('');
  }

  fail({ requestId = '', ...error }: WireError): string {
    const body = openAiError({ ...error, message: withRequestId(error.message, requestId) });
    return [JSON.stringify(body), '[DONE]'].map(dataFrame).join('');
  }

  ping(): string {
    return ': PING\n\n';
  }

  #readFrame(data: string, frame: JsonObject): FrameForwarding {
    this.#identity ??= readIdentity(frame, this.#reading.identity);
    this.tier = asText(frame.service_tier) ?? this.tier;
    const usage = findUsage(frame);
    const isCounted = !this.#reading.ignoresUsage && readOpenAiUsage(usage) !== undefined;
    if (isCounted) {
      this.usage = usage;
      this.#usageFrame = undefined;
    }
    const choices = asObjects(frame.choices);
    if (choices.length > 0) {
      const isSaying = this.#noteChoices(choices);
      return isSaying && this.error === undefined ? this.#forward(data, frame) : 'drop';
    }
    if (usage !== undefined) {
      if (usage === this.usage) this.#usageFrame = { data, frame };
      return 'drop';
    }
    // It belongs to a usage that this client did not request, and clients expect a choice in it.
    const isLeftover = !this.#reading.clientAskedUsage && saysNothing(frame);
    return isLeftover || isPromptReport(frame) ? 'drop' : this.#forward(data, frame);
  }

  /** False if no choice has anything to forward, such as a role or filter note after its end. */
  #noteChoices(choices: readonly JsonObject[]): boolean {
    let hasAny = false;
    for (let position = 0; position < choices.length; position += 1)
      if (this.#noteChoice(choices[position] ?? {}, position)) hasAny = true;
    return hasAny;
  }

  #noteChoice(choice: JsonObject, position: number): boolean {
    const index = typeof choice.index === 'number' ? choice.index : position;
    const wasOpen = (this.#choices.get(index) ?? '') === '';
    const part = isObject(choice.delta) ? choice.delta : choice.message;
    const text = typeof choice.text === 'string' ? choice.text : undefined;
    const isSaying = isObject(part) && this.delivered.addMessage(part, index);
    if (text !== undefined) this.delivered.add(text);
    const reason = asText(choice.finish_reason) ?? '';
    if (wasOpen) this.#choices.set(index, reason);
    if (!this.delivered.hasContent) this.error = failureOfStop(reason);
    const hasBody = isObject(part) || text !== undefined || reason !== '';
    return isSaying || (text ?? '') !== '' || (wasOpen && hasBody);
  }

  #forward(data: string, frame: JsonObject): FrameForwarding {
    let next = withClientModel(frame, this.#reading.clientModel);
    // Usage is sent once, at the end: clients that sum up chunks would count it twice.
    if (isObject(frame.usage)) {
      next = { ...next, usage: this.#reading.clientAskedUsage ? null : undefined };
    }
    // The gateway requests usage for itself; other clients never see the field, as with OpenAI.
    const isBare = frame.usage === null && !this.#reading.clientAskedUsage;
    if (this.#endpoint === 'chat') next = withDeltas(next);
    next = this.#reshaped(next);
    if (isBare) {
      if (next === frame && data.endsWith(NULL_USAGE))
        return { json: `${data.slice(0, -NULL_USAGE.length)}}` };
      next = { ...next, usage: undefined };
    }
    return next === frame ? 'as-is' : { json: renderJson(data, frame, next) };
  }

  #reshaped(frame: JsonObject): JsonObject {
    return this.#reshapers.reduce((given, reshaper) => reshaper.reshape(given), frame);
  }

  #usageChunk(usage: JsonObject): string {
    const { clientModel, identity } = this.#reading;
    if (this.#usageFrame !== undefined) {
      const { data, frame } = this.#usageFrame;
      const choices = Array.isArray(frame.choices) ? frame.choices : [];
      const next = { ...withClientModel(frame, clientModel), choices };
      return renderJson(data, frame, this.#reshaped(next));
    }
    const { id, createdSec, model } = this.#identity ?? identity;
    const head = {
      id,
      object: OBJECTS[this.#endpoint],
      created: createdSec,
      model: clientModel ?? model,
    };
    return JSON.stringify({ ...head, choices: [], usage });
  }
}

/** Frames with choices are answers unless they contain an error; others need the full check. */
export function frameError(frame: unknown): UpstreamError | undefined {
  const choices = isObject(frame) ? asObjects(frame.choices) : [];
  const isPlain = choices.length > 0 && isObject(frame) && !frame.error;
  const failed = choices.find((choice) => FAILED_FINISHES.has(asText(choice.finish_reason) ?? ''));
  const isChoiceError = choices.some((choice) => choice.error);
  const error = isPlain && !isChoiceError ? undefined : errorInSuccess(frame);
  if (error !== undefined || failed === undefined) return error;
  const code = textIn(failed, 'finish_reason') ?? '';
  return errorInSuccess({ error: { message: `the upstream ended the answer with ${code}`, code } });
}

/** Azure starts with a frame without id and model, which must not set the identity. */
function readIdentity(frame: JsonObject, fallback: AnswerIdentity): AnswerIdentity | undefined {
  const id = textIn(frame, 'id');
  if (id === undefined) return undefined;
  const created =
    typeof frame.created === 'number' ? Math.trunc(frame.created) : fallback.createdSec;
  return { id, createdSec: created, model: textIn(frame, 'model') ?? fallback.model };
}

const HEAD_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'service_tier',
  'system_fingerprint',
  'obfuscation',
]);

/** An empty list of choices and nothing else. */
function saysNothing(frame: JsonObject): boolean {
  return Array.isArray(frame.choices) && Object.keys(frame).every((name) => HEAD_FIELDS.has(name));
}

/** Azure's prompt filter report, a frame without choices: clients do not expect it first. */
function isPromptReport(frame: JsonObject): boolean {
  return frame.prompt_filter_results !== undefined || frame.prompt_annotations !== undefined;
}

function withClientModel(frame: JsonObject, clientModel: string | undefined): JsonObject {
  const isNamed = typeof frame.model === 'string' && frame.model !== '';
  if (clientModel === undefined || !isNamed || frame.model === clientModel) return frame;
  return { ...frame, model: clientModel };
}

/** Azure ends a filtered choice without a delta, but clients expect one. */
function withDeltas(frame: JsonObject): JsonObject {
  const { choices } = frame;
  if (!Array.isArray(choices) || choices.every(hasBody)) return frame;
  const filled = choices.map((choice: unknown) =>
    isObject(choice) && !hasBody(choice) ? { ...choice, delta: {} } : choice,
  );
  return { ...frame, choices: filled };
}

function hasBody(choice: unknown): boolean {
  return !isObject(choice) || isObject(choice.delta) || choice.message !== undefined;
}
