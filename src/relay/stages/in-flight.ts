/** Counts the calls that are not settled yet, and other work that shutdown waits for. */

declare module '../call/relay-ports.ts' {
  interface Relay {
    readonly inFlight: InFlight;
  }
}

/**
 * A counter instead of a set of promises: a set that many calls enter and leave keeps finished calls
 * alive until the next full garbage collection (docs/performance.md, "Garbage").
 */
export class InFlight {
  #size = 0;
  #waiting: (() => void)[] = [];

  get size(): number {
    return this.#size;
  }

  /** Counts `work` until it settles. Returns it. */
  track<T>(work: Promise<T>): Promise<T> {
    const end = this.begin();
    work.then(end, end);
    return work;
  }

  /** Counts something until the returned function is called for the first time. */
  begin(): () => void {
    this.#size += 1;
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#size -= 1;
      if (this.#size > 0) return;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const resolve of waiting) resolve();
    };
  }

  /** Resolves when nothing is in flight. */
  async settled(): Promise<void> {
    while (this.#size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
