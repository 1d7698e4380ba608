/**
 * Long work in slices, so that no body holds up the event loop. All bodies of the process wait in one
 * line: two slices never run in the same turn of the loop.
 */

/** How long one slice may take before it lets others have their turn. */
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

/** Resolves in a turn of the event loop that no other slice has. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!isArmed) arm();
  });
}

/** Measures one piece of long work. */
export class Slices {
  #endsMs = 0;

  /** Whether the slice is used up, and `next` must be awaited. */
  get isOver(): boolean {
    return performance.now() >= this.#endsMs;
  }

  /** Waits for the next slice, the first one included. */
  async next(): Promise<void> {
    await nextTurn();
    this.#endsMs = performance.now() + SLICE_MS;
  }
}
