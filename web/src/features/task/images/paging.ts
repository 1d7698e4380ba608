/** Pages that are turned in the browser, over rows that came a hundred at a time. */

export interface ServerPage<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** New tasks push older ones onto the next page of the server, where they would come twice. */
export function uniqueRows<T extends { readonly id: number }>(
  pages: readonly ServerPage<T>[],
): readonly T[] {
  const rows = new Map<number, T>();
  for (const { items } of pages)
    for (const row of items) if (!rows.has(row.id)) rows.set(row.id, row);
  return [...rows.values()];
}

/** A page beyond the end is the last one. */
export function pageOfRows<T>(rows: readonly T[], asked: number, pageSize: number) {
  const pages = Math.max(1, Math.ceil(rows.length / pageSize));
  const page = Math.min(asked, pages);
  return {
    page,
    isLast: page === pages,
    rows: rows.slice((page - 1) * pageSize, page * pageSize),
  };
}
