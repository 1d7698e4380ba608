/**
 * Waits for a notification, for a limited time. One timer serves all waits: it keeps running when a
 * wait ends early, and checks the deadline when it fires. Setting a timer for every wait would cost
 * more than reading a stream event.
 */
export class TimedWait {
  #wake: ((woken: boolean) => void) | undefined;
  /** End of the current wait, and when the timer checks it: NaN while there is none. */
  #deadlineMs = 0;
  #timerEndsMs = Number.NaN;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Resolves to true after `wake`, to false after `waitMs` (0 = no limit). */
  start(waitMs: number): Promise<boolean> {
    this.#deadlineMs = waitMs > 0 ? performance.now() + waitMs : Number.POSITIVE_INFINITY;
    if (waitMs > 0 && !this.#isClosed && !(this.#timerEndsMs <= this.#deadlineMs))
      this.#setTimer(waitMs);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#end(true);
  }

  /** Ends the current wait, and the time limit of all further ones. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#end(true);
  }

  #end(woken: boolean): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.(woken);
  }

  #setTimer(forMs: number): void {
    clearTimeout(this.#timer);
    this.#timerEndsMs = performance.now() + forMs;
    this.#timer = setTimeout(() => {
      this.#timerEndsMs = Number.NaN;
      if (this.#wake === undefined) return;
      const leftMs = this.#deadlineMs - performance.now();
      // Node's timers may fire up to a millisecond early.
      if (leftMs < 1) this.#end(false);
      else if (leftMs < Number.POSITIVE_INFINITY) this.#setTimer(leftMs);
    }, forMs);
  }
}
