/**
 * Streams an answer to the client and settles the call. One reader inspects every frame; frames are
 * forwarded byte for byte unless something must change. The last frame ([DONE]) waits for the
 * settlement, so that no complete answer is delivered uncharged.
 *
 * A stream ends in exactly one of three ways: the upstream finishes, the upstream breaks, or the
 * client disconnects. Each calls `#end`, once.
 */
import { Readable } from 'node:stream';
import { dataFrame } from '../../dialects/hub/answer/frames.ts';
import type { WireError } from '../../dialects/hub/dialect.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { Ending } from '../call/call-stages.ts';
import type { SseEvent } from '../http/sse.ts';
import type { Batch } from '../http/upstream-call.ts';
import type { AnswerReader } from '../translate/stream-reader.ts';
import type { StreamAnswer } from './answer-types.ts';

export interface StreamOptions {
  readonly requestId: string;
  readonly answer: Omit<StreamAnswer, 'choice'>;
  readonly reader: AnswerReader;
  /** Treats a stream that ends without an answer as an upstream failure. */
  readonly mustAnswer: boolean;
  /** Forwards the upstream's comments, which also keep this client's connection alive. */
  readonly forwardsComments: boolean;
  /**
   * Stops the upstream as soon as the client disconnects after content, because the upstream bills
   * only what it sent.
   */
  readonly stopsWithClient: boolean;
  /** Longest pause between the upstream's bytes. */
  readonly idleMs: number;
  /** Pause after which a comment is sent to keep proxies from closing the connection; 0 = never. */
  readonly pingMs: number;
  readonly now: () => number;
  readonly onFirstContent: () => void;
  /** Records why the stream broke and returns the error for the client. */
  readonly onBreak: (error: AppError) => WireError;
  /** Settles the call and returns the closing frames; the last frame waits for it. */
  readonly onEnd: (ending: Ending, contentDelivered: boolean) => Promise<string>;
}

export class AnswerStream extends Readable {
  readonly #options: StreamOptions;
  #events: readonly SseEvent[];
  #reading: Promise<void> | undefined;
  /** Resolves the wait for buffer space. */
  #wanted: (() => void) | undefined;
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
    this.#wanted?.();
    this.#reading ??= this.#carry();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#wanted?.();
    // The client is gone, or everything is delivered. Finish reading and settlement without it.
    if (!this.#ended) void this.#readOn();
    callback(error);
  }

  /**
   * Forwards all events at the client's pace. Awaits once per event, because each await has a cost.
   */
  async #carry(): Promise<void> {
    const { answer, reader } = this.#options;
    try {
      const first = this.#events;
      this.#events = [];
      let output: Buffer | undefined = this.#translate(first);
      while (output !== undefined && !this.destroyed) {
        if (output.length > 0 && !this.#give(output)) await this.#room();
        if (this.destroyed) return;
        if (reader.error !== undefined) throw new UpstreamBroke();
        if (reader.sawDone) break;
        let batch: Batch;
        try {
          const reading = answer.source.next(this.#waitMs());
          batch = reading instanceof Promise ? await reading : reading;
        } catch (error) {
          // After the end of the answer it does not matter how the connection ends.
          if (!reader.isComplete) throw error;
          batch = 'ended';
        }
        output = this.#outputOf(batch);
      }
      if (!this.destroyed) await this.#complete();
    } catch (error) {
      await this.#breakOff(error);
    }
  }

  /** False when the buffer is full. */
  #give(output: Buffer): boolean {
    this.#lastSentMs = this.#options.now();
    return this.push(output);
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#wanted = resolve;
    });
  }

  /** Bytes for the client; empty when there is nothing to send yet; undefined at the end. */
  #outputOf(batch: Batch): Buffer | undefined {
    const { reader } = this.#options.answer;
    if (batch === 'waited') return this.#afterSilence();
    if (batch === 'interrupted') return EMPTY;
    this.#lastHeardMs = this.#options.now();
    if (batch !== 'ended') return this.#translate(batch.flatMap((chunk) => reader.push(chunk)));
    const tail = reader.end();
    return tail.length > 0 ? this.#translate(tail) : undefined;
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
    if (pingMs === 0 || this.#lastSentMs + pingMs > now()) return EMPTY;
    const ping = Buffer.from(reader.ping());
    // A dialect without a ping sends nothing; check again after the same pause.
    if (ping.length === 0) this.#lastSentMs = now();
    return ping;
  }

  #translate(events: readonly SseEvent[]): Buffer {
    const { reader } = this.#options;
    const pieces: Buffer[] = [];
    for (const event of events) {
      if (event.kind === 'comment') {
        if (this.#options.forwardsComments) pieces.push(event.raw);
        continue;
      }
      const forward = reader.read(event);
      if (reader.error !== undefined) break;
      if (forward === 'as-is') pieces.push(event.raw);
      else if (forward !== 'drop') pieces.push(bytesOf(forward));
    }
    if (!this.#sawContent && reader.delivered.hasContent) {
      this.#sawContent = true;
      this.#options.onFirstContent();
    }
    return pieces.length === 1 ? (pieces[0] ?? EMPTY) : Buffer.concat(pieces);
  }

  async #complete(): Promise<void> {
    const { reader, answer } = this.#options;
    // A connection that closes without an end mark means that the stream broke (RFC 9112 8).
    const owed = reader.end();
    if (reader.error !== undefined) throw new UpstreamBroke();
    if (!reader.isComplete) throw new AppError('upstream_broke_off');
    if (this.#options.mustAnswer && !reader.hasAnswer) throw new AppError('upstream_empty');
    answer.call.letGo();
    const closing = await this.#end('answered');
    const last = owed + closing;
    if (last !== '') this.push(Buffer.from(last));
    this.push(null);
  }

  /** Sends the error as a frame, because the status was sent already. */
  async #breakOff(error: unknown): Promise<void> {
    const { requestId, answer, reader, onBreak } = this.#options;
    answer.call.abort();
    const shown = onBreak(asBreak(error));
    await this.#end('upstream_broke').catch(() => undefined); // logged where it happened
    if (this.destroyed) return;
    this.push(Buffer.from(reader.fail({ ...shown, requestId })));
    this.push(null);
  }

  /**
   * After the client disconnected: reads on for the usage if that is worthwhile, then stops the
   * upstream.
   */
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
    await this.#end('client_left').catch(() => undefined); // logged where it happened
  }

  async #listenOn(): Promise<void> {
    const { answer, reader, stopsWithClient } = this.#options;
    const listen = (events: readonly SseEvent[]) => {
      for (const event of events) if (event.kind === 'data') reader.read(event);
    };
    listen(this.#events);
    if (stopsWithClient && reader.delivered.hasContent) return;
    while (!reader.sawDone) {
      const leftMs = answer.deadline.graceLeftMs() ?? 0;
      if (leftMs <= 0) return;
      const batch = await answer.source.next(leftMs);
      if (batch === 'ended') {
        reader.end();
        return;
      }
      if (typeof batch !== 'string') for (const chunk of batch) listen(answer.reader.push(chunk));
    }
  }

  async #end(ending: Ending): Promise<string> {
    if (this.#ended) return '';
    this.#ended = true;
    return this.#options.onEnd(ending, this.#sawContent);
  }
}

const EMPTY = Buffer.alloc(0);

function bytesOf(forward: { readonly json: string } | { readonly frames: string }): Buffer {
  return Buffer.from('json' in forward ? dataFrame(forward.json) : forward.frames);
}

/** The upstream reported an error in the stream, after frames that were already forwarded. */
class UpstreamBroke extends Error {}

function asBreak(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError('upstream_broke_off', {}, { cause: error });
}
