/**
 * Errors of an outage whose begin was logged. The log leaves them out (`log.ts`): every job, poll
 * and call meets the outage, and one line at its begin and one at its end say all there is.
 */

const known = new WeakSet<Error>();

/** Marks the error and its causes, of which a log line may name only one. Returns the error. */
export function markKnown<E extends Error>(error: E): E {
  for (let at: unknown = error; at instanceof Error; at = at.cause) known.add(at);
  return error;
}

/** Whether the error, or one of its causes, is of such an outage. */
export function isOfKnownOutage(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (known.has(at)) return true;
  return false;
}
