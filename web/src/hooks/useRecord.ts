import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { toast } from '../components/layout/toasts.tsx';
import type { EntityKeys } from '../lib/api/query-keys.ts';

type Get<T> = (input: { id: number }, how: { signal: AbortSignal }) => Promise<T>;

/** One record by its id in the address, read again at each opening; no request without an id. */
export function useRecord<T>(keys: EntityKeys, id: string, get: Get<T>) {
  return useQuery({
    queryKey: keys.one(id),
    queryFn: ({ signal }) => get({ id: Number(id) }, { signal }),
    enabled: /^\d+$/.test(id),
    // A form must start with the stored values.
    staleTime: 0,
    gcTime: 0,
  });
}

/** The record of a drawer, which a refusal closes with a toast; undefined without an id. */
export function useDrawerRecord<T>(
  keys: EntityKeys,
  id: string,
  get: Get<T>,
  onClose: () => void,
): T | undefined {
  const { data, error } = useRecord(keys, id, get);
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes once per refusal
  useEffect(() => {
    if (error === null || id === '') return;
    toast.failure(error);
    onClose();
  }, [error]);
  return id === '' ? undefined : data;
}
