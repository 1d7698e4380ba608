import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';

const LIST_FRESH_MS = 15_000;
/** For what changes rarely: options, groups, models. */
export const CALM_FRESH_MS = 60_000;

/** One repeat for what may have been a hiccup; a refusal will not change by asking again. */
function mayRepeat(failures: number, error: unknown): boolean {
  return failures < 1 && !(error instanceof ApiError && error.kind === 'refused');
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A gateway on this machine answers while the browser believes to be offline.
      queries: { staleTime: LIST_FRESH_MS, retry: mayRepeat, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });
}
