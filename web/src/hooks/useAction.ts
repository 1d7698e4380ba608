import { useCallbackRef } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Confirmation } from '../components/layout/ConfirmModal.tsx';
import { confirm } from '../components/layout/confirm.tsx';
import { toast } from '../components/layout/toasts.tsx';
import type { EntityKeys } from '../lib/api/query-keys.ts';

interface ActionOptions<R, V> {
  /** Entity kinds whose cached responses become stale. */
  readonly touches?: readonly EntityKeys[];
  /** The success toast; none by default. */
  readonly done?: (reply: R, input: V) => string;
  readonly onDone?: (reply: R, input: V) => unknown;
  /** What `run` asks the user before the call; without it, `run` calls at once. */
  readonly confirm?: (input: V) => Confirmation;
  /** The failure toast; the server's message by default. */
  readonly failed?: (error: unknown) => string;
  /** The caller reports the failure itself, as a form does. */
  readonly isQuiet?: boolean;
}

/** A mutation by the user: calls, invalidates the affected caches and shows a toast. */
export function useAction<V, R>(
  act: (input: V) => Promise<R>,
  {
    touches = [],
    done,
    onDone,
    failed,
    confirm: confirmationOf,
    isQuiet = false,
  }: ActionOptions<R, V> = {},
) {
  const cache = useQueryClient();
  const mutation = useMutation({
    mutationFn: act,
    onSuccess: async (reply, input) => {
      if (done) toast.success(done(reply, input));
      const stale = touches.map(({ all }) => cache.invalidateQueries({ queryKey: all }));
      await onDone?.(reply, input);
      await Promise.all(stale);
    },
    onError: (error) => {
      if (isQuiet) return;
      if (failed) toast.error(failed(error));
      else toast.failure(error);
    },
  });
  const callIfConfirmed = async (input: V) => {
    if (confirmationOf && !(await confirm(confirmationOf(input)))) return;
    mutation.mutate(input);
  };
  const run = useCallbackRef((input: V) => void callIfConfirmed(input));
  return { ...mutation, run };
}
