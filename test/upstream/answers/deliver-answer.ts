/**
 * Writes a response over time: pauses, holds, separately flushed writes and the chosen end. At most
 * one slice is buffered for a slow reader, and an idle stream needs no timer.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { Plan } from '../plans/plan.ts';
import type { Answer } from './answer.ts';

const SLICE_BYTES = 64 * 1024;
/** libuv reports a reset that overtakes unread bytes as a normal end. */
const BREAK_PAUSE_MS = 10;

/**
 * How a call ended: `flushed`, the last byte went to the operating system; `cut`, the server closed
 * the connection; `left`, the client did.
 */
export type Departure = 'flushed' | 'cut' | 'left';

/** Calls on hold wait here until the gate is opened. */
export class Gate {
  readonly #waiting = new Set<() => void>();

  /** Returns a function that leaves the gate without being released. */
  join(released: () => void): () => void {
    this.#waiting.add(released);
    return () => this.#waiting.delete(released);
  }

  open(): void {
    for (const released of [...this.#waiting]) released();
  }
}

/** The writer's side of one response: the end of the connection ends every wait. */
class Outlet {
  readonly response: ServerResponse;
  closed = false;
  #wake: (() => void) | undefined;

  constructor(response: ServerResponse) {
    this.response = response;
    response.once('close', () => {
      this.closed = true;
      this.#wake?.();
    });
  }

  /** `arm` starts the wait and returns a function that cancels it. */
  #wait(arm: (done: () => void) => () => void): Promise<void> {
    if (this.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#wake = undefined;
        disarm();
        resolve();
      };
      const disarm = arm(done);
      this.#wake = done;
    });
  }

  pause(delayMs: number): Promise<void> {
    return this.#wait((done) => {
      const timer = setTimeout(done, delayMs);
      return () => clearTimeout(timer);
    });
  }

  release(gate: Gate): Promise<void> {
    return this.#wait((done) => gate.join(done));
  }

  drain(): Promise<void> {
    return this.#wait((done) => {
      this.response.once('drain', done);
      return () => this.response.off('drain', done);
    });
  }

  /** Resolves one turn after the bytes were sent, so that the next write is a separate packet. */
  async flush(bytes: Buffer): Promise<void> {
    await this.#wait((done) => {
      this.response.write(bytes, done);
      return () => undefined;
    });
    await turn();
  }
}

interface Order {
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly answer: Answer;
  readonly plan: Plan;
  readonly gate: Gate;
}

/** Starts writing; `departed` is called exactly once, when the call has ended. */
export function deliver(order: Order, departed: (how: Departure) => void): void {
  const { response, socket } = order;
  let how: Departure = 'left';
  // Runs first, because the server's own listener may close a socket after its last response.
  response.prependOnceListener('finish', () => {
    // `finish` also follows a failed write, which has already destroyed the socket.
    if (!socket.destroyed) how = 'flushed';
  });
  response.once('close', () => departed(how));
  const breakOff = () => {
    how = 'cut';
    if (order.answer.ending === 'reset') socket.resetAndDestroy();
    else socket.destroy();
  };
  // A failed write has already closed the response.
  write(order, new Outlet(response), breakOff).catch(() => response.destroy());
}

async function write(order: Order, outlet: Outlet, breakOff: () => void): Promise<void> {
  const { answer, plan, gate, response } = order;
  if (plan.hold === 'head') await outlet.release(gate);
  if (plan.delayMs) await outlet.pause(plan.delayMs);
  if (outlet.closed) return;
  if (answer.head !== undefined) writeHead(order, answer.head);
  if (plan.headPauseMs) await outlet.pause(plan.headPauseMs);
  const [only] = answer.pieces;
  if (isWhole(order) && only !== undefined) {
    response.end(only);
    return;
  }
  await writePieces(order, outlet);
  if (outlet.closed || answer.ending === 'hang') return;
  if (answer.ending === 'end') {
    response.end();
    return;
  }
  await outlet.pause(BREAK_PAUSE_MS);
  await turn();
  if (!outlet.closed) breakOff();
}

/** A head with a delayed body is sent at once; otherwise both share a packet. */
function writeHead(order: Order, head: NonNullable<Answer['head']>): void {
  const { answer, plan, response } = order;
  response.writeHead(head.status, head.headers);
  if (answer.ending !== 'end' || plan.headPauseMs || plan.hold === 0) response.flushHeaders();
}

function isWhole({ answer, plan }: Order): boolean {
  const [only] = answer.pieces;
  const isSingle = answer.pieces.length === 1 && only !== undefined && only.length <= SLICE_BYTES;
  return isSingle && answer.ending === 'end' && plan.hold === undefined && !answer.flushEach;
}

async function writePieces(order: Order, outlet: Outlet): Promise<void> {
  const { answer, plan, gate } = order;
  const last = answer.pieces.length - 1;
  for (const [at, piece] of answer.pieces.entries()) {
    if (plan.hold === at) await outlet.release(gate);
    if (at > 0 && plan.chunkDelayMs) await outlet.pause(plan.chunkDelayMs);
    if (outlet.closed) return;
    // Data written before a break must be flushed, or the break would discard it.
    if (answer.flushEach || (at === last && answer.ending !== 'end')) await outlet.flush(piece);
    else if (piece.length > SLICE_BYTES) await writeSlices(outlet, piece);
    else if (!outlet.response.write(piece)) await outlet.drain();
  }
}

async function writeSlices(outlet: Outlet, piece: Buffer): Promise<void> {
  for (let from = 0; from < piece.length && !outlet.closed; from += SLICE_BYTES) {
    const slice = piece.subarray(from, from + SLICE_BYTES);
    if (!outlet.response.write(slice)) await outlet.drain();
  }
}
