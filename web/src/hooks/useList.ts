import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { PageState } from '../components/data-table/columns.ts';
import type { EntityKeys } from '../lib/api/query-keys.ts';
import { STORED, useStored } from '../lib/browser/stored.ts';

interface Page<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
  /** There are more than `total`; absent if the count is exact. */
  readonly total_is_estimate?: boolean;
}

/** With `replace`, the page left no longer exists, so the back button must not return to it. */
export type OnPage = (page: number, how?: { readonly replace: boolean }) => void;

interface ListSource<T> {
  readonly key: QueryKey;
  readonly fetch: (signal: AbortSignal) => Promise<Page<T>>;
  /** Called when the page changes; usually writes the URL state. */
  readonly onPage: OnPage;
  /** Stores the page size; the list then starts at page 1 again. */
  readonly setPageSize: (size: number) => void;
  readonly refetchMs?: number | false | undefined;
}

/** One page of a list, for `<DataTable {...list.tableProps} />`. Old rows stay until new ones arrive. */
export function useList<T>({ key, fetch, onPage, setPageSize, refetchMs = false }: ListSource<T>) {
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => fetch(signal),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
  const { data, error, isFetching, isPlaceholderData, refetch } = query;
  const lastPage = data && Math.max(1, Math.ceil(data.total / data.page_size));
  useLastPage(!isPlaceholderData && data?.items.length === 0 ? data.page : 1, lastPage, onPage);
  const paging: PageState | undefined = data && {
    page: data.page,
    pageSize: data.page_size,
    total: data.total,
    onPage,
    onPageSize: (size) => {
      setPageSize(size);
      onPage(1);
    },
  };
  return {
    query,
    items: data?.items,
    tableProps: {
      rows: data?.items,
      error: error ?? undefined,
      onRetry: refetch,
      isFetching: isFetching && isPlaceholderData,
      ...(paging && { paging }),
    },
  };
}

interface PagedUrl {
  readonly state: { readonly page: number };
  set(patch: { readonly page: number }, how?: { readonly replace?: boolean }): void;
}

interface Paging {
  readonly p: number;
  readonly page_size: number;
}

interface UrlListOptions<T> extends Pick<ListSource<T>, 'refetchMs'> {
  /** Where the page size is stored. */
  readonly size?: typeof STORED.pageSize;
}

/**
 * The page of a list that the URL names, in the size that the user has chosen.
 * @param filter part of the query, and of the key in the cache
 */
export function useUrlList<T, F extends object>(
  keys: EntityKeys,
  { state, set }: PagedUrl,
  filter: F,
  fetch: (query: F & Paging, how: { signal: AbortSignal }) => Promise<Page<T>>,
  { size = STORED.pageSize, refetchMs }: UrlListOptions<T> = {},
) {
  const [pageSize, setPageSize] = useStored(size);
  const query = { ...filter, p: state.page, page_size: pageSize };
  return useList({
    key: keys.list(query),
    fetch: (signal) => fetch(query, { signal }),
    onPage: (page, how) => set({ page }, how),
    setPageSize,
    refetchMs,
  });
}

/** A page of a list that the URL does not name, such as one inside a drawer; changes of `filter` keep it. */
export function useInnerList<T, F extends object>(
  keyOf: (query: F & Paging) => QueryKey,
  filter: F,
  fetch: (query: F & Paging, how: { signal: AbortSignal }) => Promise<Page<T>>,
) {
  const [paging, setPaging] = useState({ p: 1, page_size: INNER_SIZE });
  const setPage = (p: number) => setPaging((now) => ({ ...now, p }));
  const query = { ...filter, ...paging };
  const list = useList({
    key: keyOf(query),
    fetch: (signal) => fetch(query, { signal }),
    onPage: setPage,
    setPageSize: (page_size) => setPaging((now) => ({ ...now, page_size })),
  });
  return { ...list, page: paging.p, setPage };
}

const INNER_SIZE = 10;

/** Moves from an empty page to the last one, for example after all rows of a page were deleted. */
function useLastPage(emptyPage: number, lastPage: number | undefined, onPage: OnPage): void {
  const move = useEffectEvent((page: number) => onPage(page, { replace: true }));
  useEffect(() => {
    if (lastPage !== undefined && emptyPage > lastPage) move(lastPage);
  }, [emptyPage, lastPage]);
}
