/** Runs a limited number at a time, in order; starts no more once the signal is aborted. */
export async function inParallel<T>(
  items: readonly T[],
  { width, signal }: { readonly width: number; readonly signal: AbortSignal },
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      if (signal.aborted) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
}
