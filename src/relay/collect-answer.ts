/**
 * A stream where a whole answer was asked for: read to its end and added up. Nothing of it has
 * reached the client before that, so whatever breaks it may be tried elsewhere.
 */
import { ChunkCollector } from '../dialects/openai/collect-stream.ts';
import { ChatStreamReader } from '../dialects/openai/stream-reader.ts';
import { AppError } from '../domain/errors.ts';
import { isObject, type JsonObject, parseJson } from '../providers/json.ts';
import { refusedAttempt } from './failures.ts';
import type { Patience } from './patience.ts';
import { answerIdentity, type CallRecord, streamEndpoint } from './record.ts';
import type { Relay } from './relay-context.ts';
import { SseReader } from './sse.ts';
import type { ByteSource } from './upstream-call.ts';
import { ClientLeft } from './upstream-failure.ts';

/** Bytes may name their kind wrongly; what begins like an event is one. */
const LIKE_EVENTS = /^\uFEFF?\s*(:|(data|event|id|retry):)/;

export function looksLikeEvents(text: string): boolean {
  return LIKE_EVENTS.test(text);
}

class Collection {
  readonly #relay: Relay;
  readonly #record: CallRecord;
  readonly #events = new SseReader();
  readonly #reader: ChatStreamReader;
  readonly #chunks: ChunkCollector;

  constructor(relay: Relay, record: CallRecord) {
    const endpoint = streamEndpoint(record);
    this.#relay = relay;
    this.#record = record;
    this.#chunks = new ChunkCollector(endpoint);
    const identity = answerIdentity(record);
    this.#reader = new ChatStreamReader({ endpoint, clientAskedUsage: false, identity });
  }

  /** True when the upstream has said that this was all. */
  add(bytes: Buffer): boolean {
    this.#read(this.#events.push(bytes));
    return this.#reader.sawDone;
  }

  /** @throws AppError upstream_broke_off when the answer has no end. */
  answer(): JsonObject {
    this.#read(this.#events.end());
    if (!this.#reader.isComplete) throw new AppError('upstream_broke_off');
    return this.#chunks.answer(this.#reader.usage);
  }

  #read(events: ReturnType<SseReader['push']>): void {
    for (const event of events) {
      if (event.kind !== 'data' || this.#reader.sawDone) continue;
      this.#reader.read(event.data);
      const { error } = this.#reader;
      if (error !== undefined) throw refusedAttempt(this.#relay, this.#record, error);
      const chunk = parseJson(event.data);
      if (isObject(chunk)) this.#chunks.add(chunk);
    }
  }
}

export interface Bounds {
  readonly patience: Patience;
  readonly sinceMs: number;
  readonly idleMs: number;
  readonly maxBytes: number;
}

/** @throws UpstreamFailure for an error told in the stream; AppError upstream_*; ClientLeft. */
export async function collectStream(
  relay: Relay,
  record: CallRecord,
  source: ByteSource,
  bounds: Bounds,
): Promise<JsonObject> {
  const { patience, sinceMs, idleMs, maxBytes } = bounds;
  const { relayTimeoutMs } = relay.ctx.config;
  const collection = new Collection(relay, record);
  let heardAtMs = sinceMs;
  for (let size = 0; ; ) {
    const idleLeftMs = patience.leftMs(heardAtMs, idleMs);
    const leftMs = patience.leftMs(sinceMs, relayTimeoutMs);
    if (idleLeftMs < 0 || leftMs < 0)
      throw patience.clientLeft ? new ClientLeft() : new AppError('upstream_timeout');
    const batch = await source.next(leftMs === 0 ? idleLeftMs : Math.min(idleLeftMs, leftMs));
    if (batch === 'ended') return collection.answer();
    if (typeof batch === 'string') continue;
    heardAtMs = relay.ctx.now();
    size += batch.reduce((sum, part) => sum + part.length, 0);
    if (size > maxBytes) throw new AppError('upstream_too_large');
    for (const part of batch) if (collection.add(part)) return collection.answer();
  }
}

/** The same for a stream that has arrived whole. */
export function collectText(relay: Relay, record: CallRecord, text: string): JsonObject {
  const collection = new Collection(relay, record);
  collection.add(Buffer.from(text));
  return collection.answer();
}
