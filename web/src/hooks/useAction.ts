import { useCallbackRef } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Confirmation } from '../components/layout/ConfirmModal.tsx';
import { confirm } from '../components/layout/confirm.tsx';
import { toast } from '../components/layout/toasts.tsx';
import type { EntityKeys } from '../lib/api/query-keys.ts';

export interface SuccessOptions<R, V> {
  /** Entity kinds whose cached responses become stale. */
  readonly touches?: readonly EntityKeys[];
  /** The success toast; none by default. */
  readonly done?: (reply: R, input: V) => string;
  readonly onDone?: (reply: R, input: V) => unknown;
}

interface ActionOptions<R, V> extends SuccessOptions<R, V> {
  /** What `run` asks the user before the call; without it, `run` calls at once. */
  readonly confirm?: (input: V) => Confirmation;
  /** Reports a failure; by default with the server's message as a toast. */
  readonly onFailed?: (error: unknown) => unknown;
}

/** What follows a call that the server accepted: the toast, and requests for what is stale. */
export function useSuccess<R, V>({ touches = [], done, onDone }: SuccessOptions<R, V>) {
  const cache = useQueryClient();
  return async (reply: R, input: V) => {
    if (done) toast.success(done(reply, input));
    const stale = touches.map(({ all }) => cache.invalidateQueries({ queryKey: all }));
    await onDone?.(reply, input);
    await Promise.all(stale);
  };
}

/** A mutation by the user: calls, invalidates the affected caches and shows a toast. */
export function useAction<V, R>(act: (input: V) => Promise<R>, options: ActionOptions<R, V> = {}) {
  const { confirm: confirmationOf, onFailed = toast.failure } = options;
  const succeed = useSuccess(options);
  const mutation = useMutation({
    mutationFn: act,
    onSuccess: (reply, input) => succeed(reply, input),
    onError: (error) => void onFailed(error),
  });
  const callIfConfirmed = async (input: V) => {
    if (confirmationOf && !(await confirm(confirmationOf(input)))) return;
    mutation.mutate(input);
  };
  const run = useCallbackRef((input: V) => void callIfConfirmed(input));
  return { ...mutation, run };
}
