/** Reads streams through the hub. */

import type {
  AnswerReader,
  Counted,
  FrameForwarding,
} from '../../dialects/hub/answer/answer-reader.ts';
import type { HubEvent } from '../../dialects/hub/answer/events.ts';
import {
  dataFrame,
  namedFrame,
  type StreamFrame,
  type WireError,
} from '../../dialects/hub/answer/frames.ts';
import { hasAnswer } from '../../dialects/hub/answer/has-answer.ts';
import type { Stop } from '../../dialects/hub/answer/stop.ts';
import type { DecodedForwarding } from '../../dialects/hub/capabilities.ts';
import type { Decoder, Dialect, Encoder } from '../../dialects/hub/dialect.ts';
import { signatureToKeep } from '../../dialects/hub/thinking/signature.ts';
import { TaggedThinkingReader } from '../../dialects/hub/thinking/tagged-thinking.ts';
import { ThinkingAsText } from '../../dialects/hub/thinking/thinking-as-text.ts';
import { DeliveredContent } from '../../dialects/openai/answer/delivered-content.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import { isObject, type JsonObject, parseJson } from '../../json/read-json.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import { decodedForwarding } from '../call/dialect-pair.ts';
import type { DialectReading } from './translated-answer.ts';

/** Tracks a stream: content, usage and errors. */
class StreamContents {
  readonly delivered = new DeliveredContent();
  counted: Counted | undefined;
  error: UpstreamError | undefined;
  readonly finishReasons: Stop[] = [];
  readonly #onSignature: DialectReading['onSignature'];
  readonly #ignoresUsage: boolean;

  constructor({ onSignature, ignoresUsage }: DialectReading) {
    this.#onSignature = onSignature;
    this.#ignoresUsage = ignoresUsage;
  }

  add(events: readonly HubEvent[]): void {
    for (const event of events) this.#add(event);
  }

  #add(event: HubEvent): void {
    switch (event.kind) {
      case 'text':
      case 'thinking':
      case 'refusal':
        this.delivered.add(event.text);
        return;
      case 'tool_start': {
        const { id, name, signature } = event;
        this.delivered.addCall(id, name);
        const kept = signatureToKeep(signature);
        if (kept !== undefined) this.#onSignature(id, kept);
        return;
      }
      case 'tool_args':
        this.delivered.add(event.json);
        return;
      case 'media':
        this.delivered.addMedia();
        return;
      case 'usage':
        if (this.#ignoresUsage) return;
        this.counted = { usage: event.usage, isPartial: event.isPartial === true };
        return;
      case 'error':
        this.error = event.error;
        return;
      case 'start':
      case 'signature':
      case 'redacted_thinking':
      case 'compaction':
      case 'citation':
      case 'choice':
      case 'block_end':
      case 'tool_end':
        return;
      case 'finish':
        this.finishReasons.push(event.stop);
        return;
      default:
        event satisfies never;
    }
  }
}

abstract class DialectReader implements AnswerReader {
  protected readonly decoder: Decoder;
  protected readonly encoder: Encoder;
  readonly #contents: StreamContents;

  constructor(reading: DialectReading) {
    const { pair, context } = reading;
    this.decoder = pair.upstream.decoder(context);
    this.encoder = pair.client.encoder(context);
    this.#contents = new StreamContents(reading);
  }

  get delivered(): DeliveredContent {
    return this.#contents.delivered;
  }

  get counted(): Counted | undefined {
    return this.#contents.counted;
  }

  get error(): UpstreamError | undefined {
    return this.#contents.error;
  }

  get finishReasons(): readonly Stop[] {
    return this.#contents.finishReasons;
  }

  get hasAnswer(): boolean {
    const { delivered, counted, finishReasons } = this.#contents;
    return hasAnswer({ delivered, usage: counted?.usage, stops: finishReasons });
  }

  get sawDone(): boolean {
    return this.decoder.isOver;
  }

  get keptIds(): readonly string[] {
    return this.decoder.keptIds ?? [];
  }

  get isComplete(): boolean {
    return this.error === undefined && this.decoder.isComplete;
  }

  abstract read(frame: StreamFrame): FrameForwarding | { readonly frames: string };
  abstract closing(usage: Usage | undefined): string;

  end(): string {
    return this.encoded(this.recorded(this.decoder.end()));
  }

  fail(error: WireError): string {
    return this.encoder.fail(error);
  }

  ping(): string {
    return this.encoder.ping();
  }

  protected recorded(events: readonly HubEvent[]): readonly HubEvent[] {
    this.#contents.add(events);
    return events;
  }

  protected abstract encoded(events: readonly HubEvent[]): string;
}

/** Translates from one dialect to another. */
class TranslatingReader extends DialectReader {
  readonly #thinking: ThinkingAsText | undefined;
  readonly #tags: TaggedThinkingReader | undefined;
  readonly #isSideEvent: DialectReading['isSideEvent'];

  constructor(reading: DialectReading) {
    super(reading);
    this.#isSideEvent = reading.isSideEvent;
    this.#tags = reading.thinkTags ? new TaggedThinkingReader() : undefined;
    this.#thinking = reading.thinkingToContent ? new ThinkingAsText() : undefined;
  }

  read(frame: StreamFrame): FrameForwarding | { readonly frames: string } {
    if (this.#isSideEvent(frame.event)) return 'drop';
    const events = this.recorded(this.decoder.decode(frame));
    if (this.error !== undefined) return 'drop';
    const frames = this.encoded(events);
    return frames === '' ? 'drop' : { frames };
  }

  closing(usage: Usage | undefined): string {
    return this.encoder.end(usage);
  }

  get items(): readonly JsonObject[] {
    return this.encoder.items ?? [];
  }

  protected encoded(given: readonly HubEvent[]): string {
    const events = this.#tags?.turn(given) ?? given;
    return this.encoder.encode(this.#thinking?.turn(events) ?? events);
  }
}

/**
 * The same dialect on both sides: frames are forwarded unchanged except for the model's name.
 * Frames that end the answer wait for the settlement.
 */
class ForwardingReader extends DialectReader {
  readonly #clientModel: string | undefined;
  readonly #asList: boolean;
  readonly #client: Dialect;
  readonly #forwarding: DecodedForwarding;
  /** The held closing frames, and their data as the client gets it. */
  readonly #held: { readonly frame: StreamFrame; readonly text: string }[] = [];
  #isFirst = true;

  constructor(reading: DialectReading, forwarding: DecodedForwarding) {
    super(reading);
    this.#forwarding = forwarding;
    this.#clientModel = reading.clientModel;
    this.#asList = reading.context.asList === true;
    this.#client = reading.pair.client;
  }

  read(frame: StreamFrame): FrameForwarding | { readonly frames: string } {
    this.recorded(this.decoder.decode(frame));
    if (this.error !== undefined) return 'drop';
    const text = this.#renamed(frame.data);
    const mustWait = this.decoder[this.#forwarding.holdsWhen];
    if (!mustWait) {
      if (text === frame.data && !this.#asList) return 'as-is';
      return { frames: this.#framed(frame, text) };
    }
    this.#held.push({ frame, text });
    return 'drop';
  }

  closing(usage: Usage | undefined): string {
    const texts = this.#held.map(({ text }) => text);
    const isReported = usage === undefined || this.counted?.isPartial === false;
    const reported = isReported ? texts : withUsageFrame(this.#client, texts, usage);
    const frames = this.#held.map(({ frame, text }, at) =>
      this.#framed(frame, reported[at] ?? text),
    );
    return frames.join('') + (this.#asList ? ']' : '');
  }

  /** Within a list, the error is written as a list element. */
  override fail(error: WireError): string {
    if (!this.#asList || this.#isFirst) return this.decoder.failure?.(error) ?? super.fail(error);
    return `,\r\n${JSON.stringify(this.#client.writeError(error))}]`;
  }

  protected encoded(): string {
    return '';
  }

  #framed({ event }: StreamFrame, text: string): string {
    if (this.#asList) {
      const opening = this.#isFirst ? '[' : ',\r\n';
      this.#isFirst = false;
      return opening + text;
    }
    return event === '' ? dataFrame(text) : namedFrame(event, text);
  }

  #renamed(data: string): string {
    const model = this.#clientModel;
    if (model === undefined) return data;
    const edited = this.#forwarding.renameText?.(data, model);
    if (edited !== undefined) return edited;
    const frame = parseJson(data);
    if (!isObject(frame)) return data;
    const renamed = this.#forwarding.renameFrame(frame, model);
    return renamed === frame ? data : JSON.stringify(renamed);
  }
}

/** The data of a stream's last frames, with the usage in the last frame that can hold it. */
function withUsageFrame(
  { usageFields }: Dialect,
  frames: readonly string[],
  usage: Usage,
): readonly string[] {
  for (let at = frames.length - 1; at >= 0; at -= 1) {
    const json = parseJson(frames[at] ?? '');
    const edited = isObject(json) ? usageFields.frame(json, usage) : undefined;
    if (edited !== undefined) return frames.with(at, JSON.stringify(edited));
  }
  return frames;
}

export function dialectReader(reading: DialectReading): AnswerReader {
  const forwarding = decodedForwarding(reading.pair);
  return forwarding === undefined
    ? new TranslatingReader(reading)
    : new ForwardingReader(reading, forwarding);
}
