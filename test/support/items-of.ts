/** Everything that a stream of an SDK yields. */
export async function itemsOf<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}
