import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { say } from '../components/layout/toasts.tsx';
import type { EntityKeys } from '../lib/api/query-keys.ts';

interface Outcome<R, V> {
  /** Entity kinds whose cached responses become stale. */
  readonly touches?: readonly EntityKeys[];
  /** The success toast; none by default. */
  readonly done?: (reply: R, input: V) => string;
  readonly onDone?: (reply: R, input: V) => unknown;
  /** The caller reports the failure itself, as a form does. */
  readonly isQuiet?: boolean;
}

/** A mutation by the user: calls, invalidates the affected caches and shows a toast. */
export function useAction<V, R>(
  act: (input: V) => Promise<R>,
  { touches = [], done, onDone, isQuiet = false }: Outcome<R, V> = {},
): UseMutationResult<R, Error, V> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async (reply, input) => {
      if (done) say.success(done(reply, input));
      const stale = touches.map(({ all }) => cache.invalidateQueries({ queryKey: all }));
      await onDone?.(reply, input);
      await Promise.all(stale);
    },
    onError: (error) => {
      if (!isQuiet) say.failure(error);
    },
  });
}
