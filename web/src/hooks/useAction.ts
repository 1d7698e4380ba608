import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { say } from '../components/layout/toasts.tsx';
import type { EntityKeys } from '../lib/keys.ts';

interface Outcome<R, V> {
  /** Kinds whose cached answers are out of date afterwards. */
  readonly touches?: readonly EntityKeys[];
  /** The toast; none without it. */
  readonly done?: (reply: R, input: V) => string;
  readonly onDone?: (reply: R, input: V) => unknown;
  /** True: the caller shows the failure itself (a form does). */
  readonly isQuiet?: boolean;
}

/** A change by the reader: calls, refreshes what it touched, says how it went. */
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
