/** Runs async work with limited concurrency. */

/**
 * Processes `items` with at most `width` in flight; results are in input order. Starts nothing new
 * once `signal` fires: items not started are missing from the result.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  { width, signal }: { readonly width: number; readonly signal: AbortSignal },
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (signal.aborted) return;
      results[next[0]] = await work(next[1]);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results.filter(() => true); // drops the holes of items not started
}
