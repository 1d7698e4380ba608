/**
 * Counts in the tokenizer's thread: limits the queue, and returns `undefined` whenever the thread
 * cannot count (busy, slow, dead), so that the caller can estimate.
 */
import { JobThread } from '../worker-threads/job-thread.ts';
import type { ThreadLimits } from './thread-limits.ts';

export class TokenizerThread {
  readonly #limits: ThreadLimits;
  readonly #thread = new JobThread<readonly string[], readonly number[]>(
    { built: 'token-counter-worker.js', source: new URL('./worker.ts', import.meta.url) },
    { resourceLimits: { maxOldGenerationSizeMb: 256 } },
  );
  #chars = 0;
  #isClosed = false;

  constructor(limits: ThreadLimits) {
    this.#limits = limits;
  }

  /** One count per text, or undefined when the thread does not answer in time. Never rejects. */
  async count(texts: readonly string[]): Promise<readonly number[] | undefined> {
    const { maxJobs, maxChars, maxCrashes, timeoutMs } = this.#limits;
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    if (this.#isClosed || this.#thread.failures >= maxCrashes) return undefined;
    if (this.#thread.pending >= maxJobs || this.#chars + chars > maxChars) return undefined;
    // Ends a thread that hangs on a text, and with it all its jobs.
    const timer = setTimeout(() => void this.#thread.stop(), timeoutMs);
    this.#chars += chars;
    try {
      return await this.#thread.run(texts);
    } catch {
      // Threads may be forbidden or memory short: the log row records that the count is an estimate.
      return undefined;
    } finally {
      clearTimeout(timer);
      this.#chars -= chars;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread.stop();
  }
}
