/**
 * Lists paged in the browser: rows load a hundred at a time, and the next hundred when the user
 * reaches the last loaded page.
 */
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { PageState } from '../../components/data-table/columns.ts';
import { STORED, useStored } from '../../lib/browser/stored.ts';

export const SERVER_PAGE_SIZE = 100;
const RUNNING_MS = 5_000;

interface IncrementalList<T extends { readonly id: number }> {
  readonly key: QueryKey;
  readonly fetch: (page: number, signal: AbortSignal) => Promise<ServerPage<T>>;
  readonly page: number;
  readonly onPage: (page: number) => void;
  /** Rows that may still change; while there are any, they are refetched every 5 s. */
  readonly isRunning: (row: T) => boolean;
}

export function useIncrementalList<T extends { readonly id: number }>(list: IncrementalList<T>) {
  const { key, fetch, page, onPage, isRunning } = list;
  const [pageSize, setPageSize] = useStored(STORED.pageSize);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => fetch(pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: (last, _all, at) =>
      last.items.length < SERVER_PAGE_SIZE ? undefined : at + 1,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isRunning)) ? RUNNING_MS : false,
  });
  const { data, error, isFetching, isPlaceholderData, refetch } = query;
  const rows = data && uniqueRows(data.pages);
  const here = pageOfRows(rows ?? [], page, pageSize);
  const { fetchNextPage, hasNextPage, isFetchingNextPage, isFetchNextPageError } = query;
  // After a failure the user decides when to try again.
  const mayFetch = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  const isAtEnd = rows !== undefined && here.isLast;
  useEffect(() => {
    if (isAtEnd && mayFetch) void fetchNextPage();
  }, [isAtEnd, mayFetch, fetchNextPage]);
  const paging: PageState = {
    page: here.page,
    pageSize,
    total: rows?.length ?? 0,
    onPage,
    onPageSize: (size) => {
      setPageSize(size);
      onPage(1);
    },
  };
  return {
    rows: here.rows,
    loaded: rows?.length ?? 0,
    total: data?.pages.at(-1)?.total ?? 0,
    tableProps: {
      rows: rows && here.rows,
      error: error ?? undefined,
      onRetry: refetch,
      isFetching: isFetching && isPlaceholderData,
      paging,
    },
  };
}

interface ServerPage<T> {
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
export function pageOfRows<T>(rows: readonly T[], requested: number, pageSize: number) {
  const pages = Math.max(1, Math.ceil(rows.length / pageSize));
  const page = Math.min(requested, pages);
  return {
    page,
    isLast: page === pages,
    rows: rows.slice((page - 1) * pageSize, page * pageSize),
  };
}
