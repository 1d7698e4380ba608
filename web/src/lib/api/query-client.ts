import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';

const LIST_FRESH_MS = 15_000;
/** For data that changes rarely: options, groups, models. */
export const RARELY_CHANGED_STALE_MS = 60_000;

/** Retries once after a transient failure; a refusal is not retried. */
function mayRepeat(failures: number, error: unknown): boolean {
  return failures < 1 && !(error instanceof ApiError && error.kind === 'refused');
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A local gateway responds even if the browser considers itself offline.
      queries: { staleTime: LIST_FRESH_MS, retry: mayRepeat, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });
}
