/**
 * Streams an answer to the client and settles the call. One reader inspects every frame; frames are
 * forwarded byte for byte unless something must change. The last frame ([DONE]) waits for the
 * settlement, so that no complete answer is delivered uncharged.
 *
 * A stream ends in exactly one of three ways: the upstream finishes, the upstream breaks, or the
 * client disconnects. Each calls `#settle`, once.
 */
import type { Writable } from 'node:stream';
import type { AnswerReader } from '../../dialects/hub/answer/answer-reader.ts';
import { dataFrame, type WireError } from '../../dialects/hub/answer/frames.ts';
import { append } from '../../domain/append.ts';
import { AppError, asAppError } from '../../domain/errors/errors.ts';
import type { Ending } from '../call/call-end.ts';
import type { StreamedBody } from '../call/incoming-call.ts';
import type { StreamAnswer } from '../http/answer-types.ts';
import { type ArrivedBytes, nextBatch } from '../http/byte-source.ts';
import type { SseEvent } from '../http/sse.ts';

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

export class AnswerStream implements StreamedBody {
  readonly #options: StreamOptions;
  #events: readonly SseEvent[];
  #lastReceivedMs: number;
  #lastSentMs: number;
  /** Checks for silence; one timer serves the whole stream. */
  #timer: NodeJS.Timeout | undefined;
  #isScheduled = false;
  #isFull = false;
  #sawContent = false;
  /** Nothing more is forwarded. */
  #isOver = false;
  #isSettled = false;
  #clientLeft = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#events = options.answer.first;
    this.#lastReceivedMs = options.now();
    this.#lastSentMs = this.#lastReceivedMs;
  }

  writeTo(client: Writable): void {
    const forward = () => {
      this.#isScheduled = false;
      this.#forward(client);
    };
    // Not at once, because one packet may contain many pieces.
    this.#options.answer.source.onArrival(() => {
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      process.nextTick(forward);
    });
    client.on('drain', () => {
      if (this.#isOver) return;
      this.#isFull = false;
      this.#setTimer(client);
      forward();
    });
    client.on('error', () => undefined); // 'close' follows
    const leave = () => {
      this.#clientLeft = true;
      // The client is gone, or everything is delivered.
      if (!this.#isOver) void this.#readOn();
    };
    client.once('close', leave);
    if (client.closed) leave();
    else this.#setTimer(client);
    forward();
  }

  /** Forwards the events that have arrived, at the client's pace. */
  #forward(client: Writable): void {
    const { reader } = this.#options;
    try {
      while (!this.#isFull && !this.#isOver) {
        const events = this.#arrivedEvents();
        if (events === undefined) return;
        if (events !== 'ended') this.#write(client, this.#translate(events));
        if (reader.error !== undefined) throw new UpstreamBroke();
        if (events === 'ended' || reader.sawDone) void this.#conclude(client);
      }
    } catch (error) {
      void this.#conclude(client, error);
    }
  }

  /** Undefined while there are none. */
  #arrivedEvents(): readonly SseEvent[] | 'ended' | undefined {
    const events = this.#events;
    if (events.length > 0) {
      this.#events = [];
      return events;
    }
    const arrived = this.#arrived();
    if (arrived === undefined) return undefined;
    const { reader } = this.#options.answer;
    this.#lastReceivedMs = this.#options.now();
    if (arrived === 'ended') {
      const last = reader.end();
      return last.length > 0 ? last : 'ended';
    }
    const [only] = arrived;
    return arrived.length === 1 && only !== undefined
      ? reader.push(only)
      : arrived.flatMap((chunk) => reader.push(chunk));
  }

  #arrived(): ArrivedBytes | undefined {
    const { answer, reader } = this.#options;
    try {
      return answer.source.arrived();
    } catch (error) {
      // After the end of the answer it does not matter how the connection ends.
      if (!reader.isComplete) throw error;
      return 'ended';
    }
  }

  #write(client: Writable, output: Buffer | string): void {
    if (output.length === 0) return;
    this.#lastSentMs = this.#options.now();
    if (client.write(output)) return;
    this.#isFull = true;
    clearTimeout(this.#timer);
  }

  #setTimer(client: Writable): void {
    const { idleMs, pingMs, now } = this.#options;
    const idleLeftMs = this.#lastReceivedMs + idleMs - now();
    const pingLeftMs = pingMs > 0 ? this.#lastSentMs + pingMs - now() : idleLeftMs;
    const leftMs = Math.max(1, Math.min(idleLeftMs, pingLeftMs));
    this.#timer = setTimeout(() => this.#checkSilence(client), leftMs);
  }

  /** Sends a ping, or ends a stream that is silent for too long. */
  #checkSilence(client: Writable): void {
    const { idleMs, pingMs, now, reader } = this.#options;
    if (this.#lastReceivedMs + idleMs <= now()) {
      const failure = reader.isComplete ? undefined : new AppError('upstream_timeout');
      void this.#conclude(client, failure);
      return;
    }
    if (pingMs > 0 && this.#lastSentMs + pingMs <= now()) {
      this.#write(client, reader.ping());
      // A dialect without a ping sends nothing; check again after the same pause.
      this.#lastSentMs = now();
    }
    if (!this.#isFull) this.#setTimer(client);
  }

  #translate(events: readonly SseEvent[]): Buffer {
    const { reader } = this.#options;
    let pieces: Buffer[] = [];
    for (const event of events) {
      if (event.kind === 'comment') {
        if (this.#options.forwardsComments) pieces = append(pieces, event.raw);
        continue;
      }
      const forward = reader.read(event);
      if (reader.error !== undefined) break;
      if (forward === 'as-is') pieces = append(pieces, event.raw);
      else if (forward !== 'drop') pieces = append(pieces, bytesOf(forward));
    }
    if (!this.#sawContent && reader.delivered.hasContent) {
      this.#sawContent = true;
      this.#options.onFirstContent();
    }
    return pieces.length === 1 ? (pieces[0] ?? EMPTY) : Buffer.concat(pieces);
  }

  /** Ends the stream; an error on the way becomes its last frame. */
  async #conclude(client: Writable, failure?: unknown): Promise<void> {
    this.#stopForwarding();
    const last =
      failure === undefined
        ? await this.#complete().catch((error: unknown) => this.#breakOff(error))
        : await this.#breakOff(failure);
    if (!this.#clientLeft) client.end(last);
  }

  #stopForwarding(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  async #complete(): Promise<string> {
    const { reader, answer } = this.#options;
    // A connection that closes without an end mark means that the stream broke (RFC 9112 8).
    const lastFrames = reader.end();
    if (reader.error !== undefined) throw new UpstreamBroke();
    if (!reader.isComplete) throw new AppError('upstream_broke_off');
    if (this.#options.mustAnswer && !reader.hasAnswer) throw new AppError('upstream_empty');
    answer.call.letGo();
    // Not the upstream's fault, unlike all other errors here.
    const settling = this.#settle('answered').catch((error) => Promise.reject(asAppError(error)));
    return lastFrames + (await settling);
  }

  /** The error as a frame, because the status was sent already. */
  async #breakOff(error: unknown): Promise<string> {
    const { requestId, answer, reader, onBreak } = this.#options;
    answer.call.abort();
    const shown = onBreak(asBreak(error));
    await this.#settle('upstream_broke').catch(() => undefined); // logged where it happened
    return reader.fail({ ...shown, requestId });
  }

  /**
   * After the client disconnected: reads on for the usage if that is worthwhile, then stops the
   * upstream.
   */
  async #readOn(): Promise<void> {
    const { answer } = this.#options;
    this.#stopForwarding();
    try {
      await this.#listenOn();
    } catch {
      // The upstream broke as well: what it sent so far is what there is to bill.
    }
    answer.call.abort();
    await this.#settle('client_left').catch(() => undefined); // logged where it happened
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
      const batch = await nextBatch(answer.source, leftMs);
      if (batch === 'ended') {
        reader.end();
        return;
      }
      if (typeof batch !== 'string') for (const chunk of batch) listen(answer.reader.push(chunk));
    }
  }

  /** Once: if settling failed, breaking off must not repeat it. */
  async #settle(ending: Ending): Promise<string> {
    if (this.#isSettled) return '';
    this.#isSettled = true;
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
