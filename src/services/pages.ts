/** The common envelope of all paged lists. */
export interface Page<T> {
  readonly items: T[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
}

export function asPage<T>(
  window: { readonly page: number; readonly page_size: number },
  items: T[],
  total: number,
): Page<T> {
  return { items, page: window.page, page_size: window.page_size, total };
}
