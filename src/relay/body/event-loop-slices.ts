/**
 * Runs long work in slices, so that no body blocks the event loop. All bodies of the process share
 * one queue: no two slices run in the same turn of the loop.
 */

/** How long one slice may run before it yields. */
const SLICE_MS = 8;

const waiting: (() => void)[] = [];
let isArmed = false;

function arm(): void {
  isArmed = true;
  setImmediate(() => {
    isArmed = false;
    const next = waiting.shift();
    if (waiting.length > 0) arm();
    next?.();
  });
}

/** Resolves in a turn of the event loop that no other slice uses. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!isArmed) arm();
  });
}

/** Times the slices of one long operation. */
export class Slices {
  #endsMs = 0;

  /** Whether the slice's time is used up, and `next` must be awaited. */
  get isOver(): boolean {
    return performance.now() >= this.#endsMs;
  }

  /** Waits for the next slice; also required before the first one. */
  async next(): Promise<void> {
    await nextTurn();
    this.#endsMs = performance.now() + SLICE_MS;
  }
}
