/**
 * Replaces the module of this name in `src` (vitest.config.ts), because on a busy machine the thread
 * may need longer to load its vocabulary, and tests expect exact counts.
 */
export const THREAD_LIMITS = {
  maxJobs: 256,
  maxChars: 8_000_000,
  timeoutMs: 60_000,
  maxCrashes: 3,
};
