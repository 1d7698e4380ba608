/**
 * Reads WebSocket messages one at a time. The socket is paused while a message is queued, so that
 * the buffer is limited to one message and the data of a single read.
 */
import { WebSocket } from 'ws';

export interface Frame {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** Why no further message comes. `problem`: the error that broke the connection. */
export interface Closed {
  readonly code: number;
  readonly reason: string;
  readonly problem: Error | undefined;
}

/** A Realtime API message may contain 15 MiB of audio; much longer ones are invalid. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;

export class FrameSource {
  readonly socket: WebSocket;
  readonly #queue: Frame[] = [];
  #closed: Closed | undefined;
  #problem: Error | undefined;
  #wake: (() => void) | undefined;

  /** Create it before the first message can arrive. */
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

  /** Whether received messages wait to be read. */
  get isBehind(): boolean {
    return this.#queue.length > 0 || this.socket.isPaused;
  }

  /** Supports one reader at a time. `waitMs` 0 = no limit. */
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

/**
 * Resolves when the bytes were sent, so that a slow reader slows the writer; false when it is gone.
 */
export function send(socket: WebSocket, data: Buffer | string, binary = false): Promise<boolean> {
  return new Promise((resolve) => {
    if (socket.readyState !== WebSocket.OPEN) resolve(false);
    else socket.send(data, { binary }, (error) => resolve(error === undefined || error === null));
  });
}

const CLOSE_WAIT_MS = 5_000;

/**
 * Closes the socket and waits a limited time for the other side's close. RFC 6455 7.4: the reason
 * has at most 123 bytes.
 */
export function closeSocket(socket: WebSocket, code: number, reason = ''): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === WebSocket.CLOSED) return resolve();
    const timer = setTimeout(() => socket.terminate(), CLOSE_WAIT_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    // Resume reading, because the other side's close frame may be behind unread messages.
    socket.resume();
    socket.close(code, cutBytes(reason, 123));
  });
}

function cutBytes(text: string, most: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > most) cut = cut.slice(0, -1);
  return cut;
}
