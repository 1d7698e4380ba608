/** Paging in the browser over rows loaded a hundred at a time. */

export interface ServerPage<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** New tasks shift older ones to the server's next page, which would list them twice. */
export function uniqueRows<T extends { readonly id: number }>(
  pages: readonly ServerPage<T>[],
): readonly T[] {
  const rows = new Map<number, T>();
  for (const { items } of pages)
    for (const row of items) if (!rows.has(row.id)) rows.set(row.id, row);
  return [...rows.values()];
}

/** A page past the end is the last one. */
export function pageOfRows<T>(rows: readonly T[], asked: number, pageSize: number) {
  const pages = Math.max(1, Math.ceil(rows.length / pageSize));
  const page = Math.min(asked, pages);
  return {
    page,
    isLast: page === pages,
    rows: rows.slice((page - 1) * pageSize, page * pageSize),
  };
}
