/**
 * One HTTP exchange with an upstream, read in batches. Backpressure: the socket is paused when more
 * than `HIGH_WATER_BYTES` are unread. Every wait is bounded and can be interrupted.
 */
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { append } from '../../domain/append.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { type ArrivedBytes, type ByteSource, nextBatch } from './byte-source.ts';
import { TimedWait } from './timed-wait.ts';

const HIGH_WATER_BYTES = 64 * 1024;
/** Limits for reading the unneeded rest of a body so that its connection can be reused. */
const MAX_LEFTOVER_BYTES = 64 * 1024;
const LEFTOVER_WAIT_MS = 1_000;

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Needed by a proxy, which serves many origins; a pool has it already. */
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Chunks are sent one after the other, without joining them. */
  readonly body: Buffer | string | readonly Buffer[] | undefined;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export class UpstreamCall implements ByteSource {
  readonly wait = new TimedWait();
  status = 0;
  headers: Headers = {};
  #controller: Dispatcher.DispatchController | undefined;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #paused = false;
  #ended = false;
  #failure: Error | undefined;
  #listener: (() => void) | undefined;
  #aborted = false;
  #leftoverTimer: NodeJS.Timeout | undefined;

  constructor(dispatcher: Dispatcher, request: UpstreamRequest) {
    dispatcher.dispatch(
      {
        method: request.method,
        origin: request.origin,
        path: request.path,
        headers: request.headers,
        body: wireBody(request.body),
      },
      {
        onRequestStart: (controller) => {
          this.#controller = controller;
          if (this.#aborted) controller.abort(new Error('aborted before it started'));
        },
        onResponseStart: (_controller, status, headers) => {
          if (status < 200) return;
          this.status = status;
          this.headers = headers;
          this.#notify();
        },
        onResponseData: (controller, chunk) => this.#receive(controller, chunk),
        onResponseEnd: () => this.#finish(undefined),
        onResponseError: (_controller, error) => this.#finish(error),
      },
    );
  }

  /**
   * Waits at most `waitMs` (0 = no limit) for the status line and headers.
   * @throws the connection error if it broke before them.
   */
  start(waitMs: number): Awaitable<'started' | 'waited' | 'interrupted'> {
    return this.status === 0 && this.#failure === undefined
      ? this.wait.start(waitMs).then((woken) => this.#startedAfter(woken))
      : this.#startedAfter(true);
  }

  #startedAfter(woken: boolean): 'started' | 'waited' | 'interrupted' {
    if (this.status !== 0) return 'started';
    if (this.#failure !== undefined) throw this.#failure;
    return woken ? 'interrupted' : 'waited';
  }

  arrived(): ArrivedBytes | undefined {
    if (this.#queue.length > 0) return this.#take();
    if (!this.#ended) return undefined;
    if (this.#failure !== undefined) throw this.#failure;
    return 'ended';
  }

  onArrival(listener: () => void): void {
    this.#listener = listener;
  }

  /** Ends the current wait as interrupted. */
  interrupt(): void {
    this.#notify();
  }

  abort(): void {
    this.#aborted = true;
    if (!this.#ended) this.#controller?.abort(new Error('the gateway no longer needs this answer'));
  }

  /** Stops reading. If the rest of the body ends soon, its connection is reused. */
  letGo(): void {
    if (this.#ended || this.#leftoverTimer !== undefined) return;
    this.#leftoverTimer = setTimeout(() => this.abort(), LEFTOVER_WAIT_MS);
    this.#leftoverTimer.unref();
    this.#take();
  }

  #notify(): void {
    this.wait.wake();
    this.#listener?.();
  }

  #take(): Buffer[] {
    const batch = this.#queue;
    this.#queue = [];
    this.#queuedBytes = 0;
    if (this.#paused) {
      this.#paused = false;
      this.#controller?.resume();
    }
    return batch;
  }

  #receive(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#queuedBytes += chunk.length;
    if (this.#leftoverTimer !== undefined) {
      if (this.#queuedBytes > MAX_LEFTOVER_BYTES) this.abort();
      return;
    }
    this.#queue = append(this.#queue, chunk);
    if (this.#queuedBytes >= HIGH_WATER_BYTES && !this.#paused) {
      this.#paused = true;
      controller.pause();
    }
    this.#notify();
  }

  #finish(failure: Error | undefined): void {
    clearTimeout(this.#leftoverTimer);
    this.#ended = true;
    // With it, the exchange would stay in memory for long (docs/performance.md, "Garbage").
    this.#controller = undefined;
    this.#failure = failure;
    this.wait.close();
    this.#listener?.();
  }
}

function wireBody(body: UpstreamRequest['body']): Buffer | string | Readable | null {
  if (body === undefined) return null;
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : Readable.from(body);
}

/**
 * Reads the whole body, at most `maxBytes`. `deadline` is called before every wait and returns the
 * milliseconds left (0 = no limit); a negative value ends the reading with `upstream_timeout`.
 */
export async function collect(
  call: UpstreamCall,
  maxBytes: number,
  deadline: () => number,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for (;;) {
    const leftMs = deadline();
    if (leftMs < 0) throw new AppError('upstream_timeout');
    const batch = await nextBatch(call, leftMs);
    if (batch === 'ended')
      return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
    if (batch === 'waited' || batch === 'interrupted') continue;
    for (const part of batch) {
      size += part.length;
      parts.push(part);
    }
    if (size > maxBytes) throw new AppError('upstream_too_large');
  }
}
