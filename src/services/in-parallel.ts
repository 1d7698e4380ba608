/** A few at a time. */

/**
 * Works through `items`, at most `width` under way, and answers in their order. Nothing new is begun
 * once `signal` fires: what was not begun is missing from the answer.
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
  return results.filter(() => true); // drops the holes of what was not begun
}
