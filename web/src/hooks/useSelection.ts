import { useMemo, useState } from 'react';

/** The selected rows of a list, without those that are no longer in it. */
export function useSelection<T extends { readonly id: number }>(rows: readonly T[]) {
  const [marked, setIds] = useState<ReadonlySet<string | number>>(new Set());
  // Stable while the selection is unchanged, so that rows do not re-render.
  const selected = useMemo(() => rows.filter(({ id }) => marked.has(id)), [rows, marked]);
  const ids = useMemo(() => new Set<string | number>(selected.map(({ id }) => id)), [selected]);
  return { selected, ids, setIds, clear: () => setIds(new Set()) };
}
