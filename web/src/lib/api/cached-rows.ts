/** Updates rows of cached list responses in place, to avoid a refetch. */
import type { QueryClient } from '@tanstack/react-query';
import type { EntityKeys } from './query-keys.ts';

interface CachedPage {
  readonly items: readonly { readonly id: number }[];
}

function isPage(data: unknown): data is CachedPage {
  return typeof data === 'object' && data !== null && 'items' in data && Array.isArray(data.items);
}

/** Patches the row with this id in every cached response of the kind. */
export function patchRow(
  cache: QueryClient,
  keys: EntityKeys,
  id: number,
  patch: Readonly<Record<string, unknown>>,
): void {
  cache.setQueriesData({ queryKey: keys.all }, (data: unknown) => {
    if (!isPage(data)) return data;
    const items = data.items.map((row) => (row.id === id ? { ...row, ...patch } : row));
    return { ...data, items };
  });
}
