/**
 * Carries a stream to the client and the bill to the books. One reader looks at every frame; frames
 * go on byte for byte unless something must change. The last frame ([DONE]) waits for the
 * settlement, so that nothing is answered in full that is not paid.
 *
 * The stream ends in exactly one of three ways: the upstream finishes, the upstream breaks, the
 * client leaves. Each ends in `#end`, once.
 */
import { Readable } from 'node:stream';
import type { ChatStreamReader } from '../dialects/openai/stream-reader.ts';
import { type ErrorFacts, openAiError, withRequestId } from '../domain/error-shapes.ts';
import { AppError } from '../domain/errors.ts';
import type { StreamAnswer } from './attempt.ts';
import type { Ending } from './record.ts';
import type { SseEvent } from './sse.ts';
import type { Batch } from './upstream-call.ts';

const PING = Buffer.from(': PING\n\n');

export interface StreamOptions {
  readonly requestId: string;
  readonly answer: StreamAnswer;
  readonly reader: ChatStreamReader;
  /** Longest silence of the upstream. */
  readonly idleMs: number;
  /** Pause after which a comment keeps proxies awake; 0 = never. */
  readonly pingMs: number;
  readonly now: () => number;
  readonly onFirstContent: () => void;
  /** Notes why the stream broke and answers what the client may know of it. */
  readonly onBreak: (error: AppError) => ErrorFacts;
  /**
   * Settles the call. Its promise is what the last frame waits for; it brings the data of the
   * closing events.
   */
  readonly onEnd: (ending: Ending, contentDelivered: boolean) => Promise<readonly string[]>;
}

export class AnswerStream extends Readable {
  readonly #options: StreamOptions;
  #events: readonly SseEvent[];
  #reading: Promise<void> | undefined;
  #lastHeardMs: number;
  #lastSentMs: number;
  #sawContent = false;
  #ended = false;

  constructor(options: StreamOptions) {
    super({ highWaterMark: 64 * 1024 });
    this.#options = options;
    this.#events = options.answer.first;
    this.#lastHeardMs = options.now();
    this.#lastSentMs = this.#lastHeardMs;
  }

  override _read(): void {
    this.#reading ??= this.#pump().finally(() => {
      this.#reading = undefined;
    });
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    // The client is gone, or all is delivered. What is still owed goes on without it.
    if (!this.#ended) void this.#readOn();
    callback(error);
  }

  /** Pushes once, or ends. `_read` is called again when there is room for more. */
  async #pump(): Promise<void> {
    try {
      for (;;) {
        const output = await this.#nextOutput();
        if (this.destroyed) return;
        if (output === undefined) return await this.#complete();
        if (output.length === 0) continue;
        this.#lastSentMs = this.#options.now();
        this.push(output);
        return;
      }
    } catch (error) {
      await this.#breakOff(error);
    }
  }

  /** Bytes for the client; empty when there is nothing to say yet; undefined at the end. */
  async #nextOutput(): Promise<Buffer | undefined> {
    if (this.#events.length > 0) {
      const events = this.#events;
      this.#events = [];
      return this.#translate(events);
    }
    const { answer } = this.#options;
    if (this.#options.reader.error !== undefined) throw new UpstreamBroke();
    if (this.#options.reader.sawDone) return undefined;
    const batch = await this.#nextBatch();
    if (batch === 'waited') return this.#afterSilence();
    if (batch === 'interrupted') return EMPTY;
    this.#lastHeardMs = this.#options.now();
    if (batch !== 'ended')
      return this.#translate(batch.flatMap((chunk) => answer.reader.push(chunk)));
    const tail = answer.reader.end();
    return tail.length > 0 ? this.#translate(tail) : undefined;
  }

  /** After the last word of the answer it does not matter how the connection ends. */
  async #nextBatch(): Promise<Batch> {
    const { answer, reader } = this.#options;
    try {
      return await answer.source.next(this.#waitMs());
    } catch (error) {
      if (reader.isComplete) return 'ended';
      throw error;
    }
  }

  #waitMs(): number {
    const { idleMs, pingMs, now } = this.#options;
    const idleLeftMs = this.#lastHeardMs + idleMs - now();
    const pingLeftMs = pingMs > 0 ? this.#lastSentMs + pingMs - now() : idleLeftMs;
    return Math.max(1, Math.min(idleLeftMs, pingLeftMs));
  }

  #afterSilence(): Buffer | undefined {
    const { idleMs, pingMs, now, reader } = this.#options;
    if (this.#lastHeardMs + idleMs <= now()) {
      if (reader.isComplete) return undefined;
      throw new AppError('upstream_timeout');
    }
    return pingMs > 0 && this.#lastSentMs + pingMs <= now() ? PING : EMPTY;
  }

  #translate(events: readonly SseEvent[]): Buffer {
    const { reader } = this.#options;
    const pieces: Buffer[] = [];
    for (const event of events) {
      if (event.kind === 'comment') {
        pieces.push(event.raw);
        continue;
      }
      const forward = reader.read(event.data);
      if (reader.error !== undefined) break;
      if (forward === 'as-is') pieces.push(event.raw);
      else if (forward !== 'drop') pieces.push(eventOf(forward.json));
    }
    if (!this.#sawContent && reader.delivered.hasContent) {
      this.#sawContent = true;
      this.#options.onFirstContent();
    }
    return pieces.length === 1 ? (pieces[0] ?? EMPTY) : Buffer.concat(pieces);
  }

  async #complete(): Promise<void> {
    const { reader, answer } = this.#options;
    // A connection that closes before anything said it was finished has broken (RFC 9112 8 has no word for it in chunks).
    if (!reader.isComplete) throw new AppError('upstream_broke_off');
    answer.call.letGo();
    const closing = await this.#end('answered');
    this.push(Buffer.concat(closing.map(eventOf)));
    this.push(null);
  }

  /** After the first byte an error is a frame: the status is long out. */
  async #breakOff(error: unknown): Promise<void> {
    const { requestId, answer, onBreak } = this.#options;
    answer.call.abort();
    const shown = onBreak(asBreak(error));
    await this.#end('upstream_broke').catch(() => undefined); // logged where it happened; the client's error stands
    if (this.destroyed) return;
    const frame = openAiError({ ...shown, message: withRequestId(shown.message, requestId) });
    this.push(Buffer.concat([JSON.stringify(frame), '[DONE]'].map(eventOf)));
    this.push(null);
  }

  /** The client has left: read on for the usage as long as the grace lasts, then stop the upstream. */
  async #readOn(): Promise<void> {
    const { answer } = this.#options;
    answer.call.interrupt();
    await this.#reading?.catch(() => undefined);
    if (this.#ended) return;
    try {
      await this.#listenOn();
    } catch {
      // The upstream broke as well: what it sent so far is what there is to bill.
    }
    answer.call.abort();
    await this.#end('client_left').catch(() => undefined); // logged where it happened; nobody is left to tell
  }

  async #listenOn(): Promise<void> {
    const { answer, reader } = this.#options;
    const listen = (events: readonly SseEvent[]) => {
      for (const event of events) if (event.kind === 'data') reader.read(event.data);
    };
    listen(this.#events);
    while (!reader.sawDone) {
      const leftMs = answer.patience.graceLeftMs() ?? 0;
      if (leftMs <= 0) return;
      const batch = await answer.source.next(leftMs);
      if (batch === 'ended') return;
      if (typeof batch !== 'string') for (const chunk of batch) listen(answer.reader.push(chunk));
    }
  }

  async #end(ending: Ending): Promise<readonly string[]> {
    if (this.#ended) return [];
    this.#ended = true;
    return this.#options.onEnd(ending, this.#sawContent);
  }
}

const EMPTY = Buffer.alloc(0);

/** Data that came in several lines goes out in several. */
function eventOf(data: string): Buffer {
  return Buffer.from(`data: ${data.replaceAll('\n', '\ndata: ')}\n\n`);
}

/** The upstream said itself that it failed; what came before that has gone out. */
class UpstreamBroke extends Error {}

function asBreak(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError('upstream_broke_off', {}, { cause: error });
}
