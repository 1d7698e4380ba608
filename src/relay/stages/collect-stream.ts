/**
 * Collects a stream into a whole answer when the client did not request a stream. Nothing is sent
 * to the client before the end, so a failure may be retried on another channel.
 */
import { AnswerCollector, type HubAnswer } from '../../dialects/hub/answer/answer.ts';
import type { HubEvent } from '../../dialects/hub/answer/events.ts';
import type { Decoder, StreamFrame } from '../../dialects/hub/dialect.ts';
import { ChunkCollector } from '../../dialects/openai/answer/collect-stream.ts';
import { ChatStreamReader } from '../../dialects/openai/answer/stream-reader.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../json/read-json.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import { answerIdentity, isSideEvent, streamEndpoint } from '../call/call-facts.ts';
import type { Routed } from '../call/call-stages.ts';
import type { Ports } from '../call/relay-ports.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { refusedAttempt } from '../failures/upstream-failures.ts';
import { type ByteSource, nextBatch } from '../http/byte-source.ts';
import type { Deadline } from '../http/deadline.ts';
import type { FrameReader } from '../http/framing.ts';
import { SseReader } from '../http/sse.ts';
import type { DialectReading } from '../translate/dialect-reading.ts';
import { dialectReading } from '../translate/translated-answer.ts';

/** Detects event streams by their start, because the content type may be wrong. */
const LIKE_EVENTS = /^\uFEFF?\s*(:|(data|event|id|retry):)/;

export function looksLikeEvents(text: string): boolean {
  return LIKE_EVENTS.test(text);
}

/** The collected answer: OpenAI's own format if both sides use it, else the hub's. */
export type Collected = { readonly json: JsonObject } | { readonly answer: HubAnswer };

/** Collects the events of one dialect. */
interface Sum {
  readonly isOver: boolean;
  /** Returns the error that the event reports, if any. */
  add(frame: StreamFrame): UpstreamError | undefined;
  /** Ends the collection; returns an error that is only visible at the end. */
  end(): UpstreamError | undefined;
  /** The upstream's whole answer; undefined when it was cut off. */
  answer(): Collected | undefined;
}

class ChatSum implements Sum {
  readonly #reader: ChatStreamReader;
  readonly #chunks: ChunkCollector;

  constructor(call: Routed) {
    const endpoint = streamEndpoint(call);
    this.#chunks = new ChunkCollector(endpoint);
    const identity = answerIdentity(call);
    this.#reader = new ChatStreamReader({ endpoint, clientAskedUsage: false, identity });
  }

  get isOver(): boolean {
    return this.#reader.sawDone;
  }

  add({ data }: StreamFrame): UpstreamError | undefined {
    this.#reader.read(data);
    const chunk = parseJson(data);
    if (this.#reader.error === undefined && isObject(chunk)) this.#chunks.add(chunk);
    return this.#reader.error;
  }

  end(): undefined {
    return undefined;
  }

  answer(): Collected | undefined {
    if (!this.#reader.isComplete) return undefined;
    return { json: this.#chunks.answer(this.#reader.usage) };
  }
}

class DialectSum implements Sum {
  readonly #decoder: Decoder;
  readonly #collector = new AnswerCollector();

  constructor({ pair, context }: DialectReading) {
    this.#decoder = pair.upstream.decoder(context);
  }

  get isOver(): boolean {
    return this.#decoder.isOver;
  }

  add(frame: StreamFrame): UpstreamError | undefined {
    return this.#take(this.#decoder.decode(frame));
  }

  end(): UpstreamError | undefined {
    return this.#take(this.#decoder.end());
  }

  answer(): Collected | undefined {
    return this.#decoder.isComplete ? { answer: this.#collector.answer() } : undefined;
  }

  #take(events: readonly HubEvent[]): UpstreamError | undefined {
    this.#collector.add(events);
    return events.find((event) => event.kind === 'error')?.error;
  }
}

class Collection {
  readonly #relay: Ports<'ctx'>;
  readonly #call: Routed;
  readonly #events: FrameReader;
  readonly #sum: Sum;

  constructor(relay: Ports<'ctx'>, call: Routed, events: FrameReader) {
    const reading = dialectReading(relay, call);
    this.#relay = relay;
    this.#call = call;
    this.#events = events;
    this.#sum = reading === undefined ? new ChatSum(call) : new DialectSum(reading);
  }

  /** True when the upstream marked the end of the answer. */
  add(bytes: Buffer): boolean {
    this.#read(this.#events.push(bytes));
    return this.#sum.isOver;
  }

  /** @throws AppError upstream_broke_off when the answer is incomplete. */
  answer(): Collected {
    this.#read(this.#events.end());
    this.#refuse(this.#sum.end());
    const answer = this.#sum.answer();
    if (answer === undefined) throw new AppError('upstream_broke_off');
    return answer;
  }

  #read(events: ReturnType<FrameReader['push']>): void {
    for (const event of events) {
      if (event.kind !== 'data' || this.#sum.isOver) continue;
      if (isSideEvent(this.#call, event.event)) continue;
      this.#refuse(this.#sum.add(event));
    }
  }

  #refuse(error: UpstreamError | undefined): void {
    if (error !== undefined) throw refusedAttempt(this.#relay, this.#call, error);
  }
}

export interface Bounds {
  readonly deadline: Deadline;
  readonly sinceMs: number;
  readonly idleMs: number;
  /** Limit of the whole stream; 0 = none. */
  readonly limitMs: number;
  readonly maxBytes: number;
}

/** @throws UpstreamFailure for an error reported in the stream; AppError upstream_*; ClientLeft. */
export async function collectStream(
  relay: Ports<'ctx'>,
  call: Routed,
  { source, reader }: { readonly source: ByteSource; readonly reader: FrameReader },
  bounds: Bounds,
): Promise<Collected> {
  const { deadline, sinceMs, idleMs, limitMs, maxBytes } = bounds;
  const collection = new Collection(relay, call, reader);
  let receivedAtMs = sinceMs;
  for (let size = 0; ; ) {
    const idleLeftMs = deadline.leftMs(receivedAtMs, idleMs);
    const leftMs = deadline.leftMs(sinceMs, limitMs);
    if (idleLeftMs < 0 || leftMs < 0)
      throw deadline.clientLeft ? new ClientLeft() : new AppError('upstream_timeout');
    const batch = await nextBatch(source, leftMs === 0 ? idleLeftMs : Math.min(idleLeftMs, leftMs));
    if (batch === 'ended') return collection.answer();
    if (typeof batch === 'string') continue;
    receivedAtMs = relay.ctx.now();
    size += batch.reduce((sum, part) => sum + part.length, 0);
    if (size > maxBytes) throw new AppError('upstream_too_large');
    for (const part of batch) if (collection.add(part)) return collection.answer();
  }
}

/** Like `collectStream`, for a stream that arrived whole. */
export function collectText(relay: Ports<'ctx'>, call: Routed, text: string): Collected {
  const collection = new Collection(relay, call, new SseReader());
  collection.add(Buffer.from(text));
  return collection.answer();
}
