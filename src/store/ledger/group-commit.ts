/**
 * Group commit: operations that arrive during a commit wait for the next one, which takes them all.
 * When idle, an operation is committed at once. Each caller's promise settles with its own outcome
 * after its commit, so nothing is acknowledged before it is written.
 */
import { setTimeout as pause } from 'node:timers/promises';

export interface GroupCommitOptions<Operation, Outcome> {
  /**
   * Commits the batch in one transaction and returns an outcome per operation, in order. After a
   * failure a batch may be repeated in parts, even if its commit succeeded without a response:
   * applying an operation twice must equal applying it once. An empty batch fails if the store
   * itself is at fault.
   */
  readonly commit: (batch: readonly Operation[]) => Promise<readonly Outcome[]>;
  /** Maximum operations in one transaction. */
  readonly maxBatch: number;
  /** Maximum waiting operations; further ones are rejected at once with `onFull()`. */
  readonly maxWaiting: number;
  readonly onFull: () => Error;
}

/** Under load the next commit waits this long for more operations, for less work per call. */
const GATHER_MS = 3;
const BUSY_BATCH = 4;

interface Waiting<Operation, Outcome> {
  readonly operation: Operation;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommit<Operation, Outcome> {
  readonly #options: GroupCommitOptions<Operation, Outcome>;
  #waiting: Waiting<Operation, Outcome>[] = [];
  #running: Promise<void> | undefined;

  constructor(options: GroupCommitOptions<Operation, Outcome>) {
    this.#options = options;
  }

  /** Operations waiting for the next commit. */
  get waiting(): number {
    return this.#waiting.length;
  }

  submit(operation: Operation): Promise<Outcome> {
    if (this.#waiting.length >= this.#options.maxWaiting)
      return Promise.reject(this.#options.onFull());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when all operations submitted before it have been committed or rejected. */
  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // One turn of the event loop lets operations of the same tick share the first commit.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#options.maxBatch);
      await this.#commit(batch);
      if (batch.length >= BUSY_BATCH && this.#waiting.length < batch.length) await pause(GATHER_MS);
    }
    this.#running = undefined;
  }

  async #commit(batch: readonly Waiting<Operation, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#options.commit(batch.map((waiting) => waiting.operation));
      batch.forEach((waiting, index) => {
        const outcome = outcomes[index];
        if (outcome === undefined) waiting.reject(new Error('the commit gave no outcome'));
        else waiting.resolve(outcome);
      });
    } catch (error) {
      if (batch.length > 1 && (await this.#isStoreSound())) await this.#separate(batch);
      else for (const waiting of batch) waiting.reject(error);
    }
  }

  /** Otherwise an unavailable or locked store would be waited for once per operation. */
  async #isStoreSound(): Promise<boolean> {
    try {
      await this.#options.commit([]);
      return true;
    } catch {
      return false; // the batch's own error is reported instead
    }
  }

  /** One operation that the database rejects must not fail the others. */
  async #separate(batch: readonly Waiting<Operation, Outcome>[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    await this.#commit(batch.slice(0, middle));
    await this.#commit(batch.slice(middle));
  }
}
