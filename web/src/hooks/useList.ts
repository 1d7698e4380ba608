import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { PageState } from '../components/data-table/columns.ts';

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
  readonly refetchMs?: number | false;
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

/** Moves from an empty page to the last one, for example after all rows of a page were deleted. */
function useLastPage(emptyPage: number, lastPage: number | undefined, onPage: OnPage): void {
  const move = useEffectEvent((page: number) => onPage(page, { replace: true }));
  useEffect(() => {
    if (lastPage !== undefined && emptyPage > lastPage) move(lastPage);
  }, [emptyPage, lastPage]);
}
