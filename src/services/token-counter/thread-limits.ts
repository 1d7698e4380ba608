/** How much the tokenizer's thread is given, and for how long it is waited for. */
export interface ThreadLimits {
  /** Most jobs waiting at once. */
  readonly maxJobs: number;
  /** Most characters of all waiting jobs together. */
  readonly maxChars: number;
  readonly timeoutMs: number;
  /** Consecutive crashes without a count, after which no thread is started any more. */
  readonly maxCrashes: number;
}

export const THREAD_LIMITS: ThreadLimits = {
  maxJobs: 256,
  maxChars: 8_000_000,
  timeoutMs: 5000,
  maxCrashes: 3,
};
