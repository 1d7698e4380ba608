/**
 * The messages of a WebSocket, pulled one at a time. While one waits the socket is paused, so that
 * what has arrived and was not taken is bounded by one message and what a single read brought.
 */
import { WebSocket } from 'ws';

export interface Frame {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** Why no further message comes. `problem`: what broke the connection off. */
export interface Closed {
  readonly code: number;
  readonly reason: string;
  readonly problem: Error | undefined;
}

/** A message of the Realtime API may hold 15 MiB of sound; anything much longer is none. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;

export class FrameSource {
  readonly socket: WebSocket;
  readonly #queue: Frame[] = [];
  #closed: Closed | undefined;
  #problem: Error | undefined;
  #wake: (() => void) | undefined;

  /** Must be made before the first message can come. */
  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.#queue.push({ data, isBinary });
      socket.pause();
      this.#wake?.();
    });
    socket.on('error', (error) => {
      this.#problem = error;
    });
    socket.on('close', (code, reason) => {
      this.#closed = { code, reason: reason.toString(), problem: this.#problem };
      this.#wake?.();
    });
  }

  /** Whether the other side waits for us rather than we for it. */
  get isBehind(): boolean {
    return this.#queue.length > 0 || this.socket.isPaused;
  }

  /** One reader at a time. `waitMs` 0 is without bound. */
  async next(waitMs = 0): Promise<Frame | Closed | 'waited'> {
    if (this.#queue.length === 0 && this.#closed === undefined) {
      this.socket.resume();
      await this.#wait(waitMs);
    }
    return this.#queue.shift() ?? this.#closed ?? 'waited';
  }

  #wait(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = waitMs > 0 ? setTimeout(() => this.#wake?.(), waitMs) : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

/** Resolves when the bytes have left, which is how a slow reader slows the writer; false when it is gone. */
export function send(socket: WebSocket, data: Buffer | string, binary = false): Promise<boolean> {
  return new Promise((resolve) => {
    if (socket.readyState !== WebSocket.OPEN) resolve(false);
    else socket.send(data, { binary }, (error) => resolve(error === undefined || error === null));
  });
}

const CLOSE_WAIT_MS = 5_000;

/** Says goodbye and waits for the answer a bounded time. RFC 6455 7.4: the reason has 123 bytes at most. */
export function closeSocket(socket: WebSocket, code: number, reason = ''): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === WebSocket.CLOSED) return resolve();
    const timer = setTimeout(() => socket.terminate(), CLOSE_WAIT_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    // Nobody reads on: the goodbye of the other side must not wait behind what it said before.
    socket.resume();
    socket.close(code, cutBytes(reason, 123));
  });
}

function cutBytes(text: string, most: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > most) cut = cut.slice(0, -1);
  return cut;
}
