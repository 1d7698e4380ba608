/**
 * Collects a stream into a whole answer when the client did not request a stream. Nothing is sent
 * to the client before the end, so a failure may be retried on another channel.
 */
import type { AnswerSum, PlainAnswer } from '../../dialects/hub/answer/answer-reader.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { Routed } from '../call/admitted.ts';
import { isSideEvent } from '../call/call-facts.ts';
import type { Ports } from '../call/relay-ports.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { refusedAttempt } from '../failures/upstream-failures.ts';
import { type ByteSource, nextBatch } from '../http/byte-source.ts';
import type { Deadline } from '../http/deadline.ts';
import type { FrameReader } from '../http/framing.ts';
import { SseReader } from '../http/sse.ts';

/** Detects event streams by their start, because the content type may be wrong. */
const LIKE_EVENTS = /^\uFEFF?\s*(:|(data|event|id|retry):)/;

export function looksLikeEvents(text: string): boolean {
  return LIKE_EVENTS.test(text);
}

class Collection {
  readonly #relay: Ports<'ctx'>;
  readonly #call: Routed;
  readonly #events: FrameReader;
  readonly #sum: AnswerSum;

  constructor(relay: Ports<'ctx'>, call: Routed, events: FrameReader, sum: AnswerSum) {
    this.#relay = relay;
    this.#call = call;
    this.#events = events;
    this.#sum = sum;
  }

  /** True when the upstream marked the end of the answer. */
  add(bytes: Buffer): boolean {
    this.#read(this.#events.push(bytes));
    return this.#sum.isOver;
  }

  /** @throws AppError upstream_broke_off when the answer is incomplete. */
  answer(): PlainAnswer {
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

interface Collected {
  readonly source: ByteSource;
  readonly reader: FrameReader;
  readonly sum: AnswerSum;
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
  { source, reader, sum }: Collected,
  bounds: Bounds,
): Promise<PlainAnswer> {
  const { deadline, sinceMs, idleMs, limitMs, maxBytes } = bounds;
  const collection = new Collection(relay, call, reader, sum);
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
export function collectText(
  relay: Ports<'ctx'>,
  call: Routed,
  sum: AnswerSum,
  text: string,
): PlainAnswer {
  const collection = new Collection(relay, call, new SseReader(), sum);
  collection.add(Buffer.from(text));
  return collection.answer();
}
