import { useCallbackRef } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { toast } from '../components/layout/toasts.tsx';
import { patchRow } from '../lib/api/cached-rows.ts';
import type { EntityKeys } from '../lib/api/query-keys.ts';

interface Switched {
  readonly id: number;
  readonly status: number;
}

interface StatusSwitch<R extends Switched, S extends number> {
  readonly keys: EntityKeys;
  /** Resolves with what the row now shows. */
  readonly send: (id: number, status: S) => Promise<Partial<R>>;
  readonly done: (status: S) => string;
  /** The status that Undo sets. */
  readonly before: (row: R) => S;
}

/** Optimistic: the row changes at once, is rolled back on refusal, and can be undone for 6 s. */
export function useStatusSwitch<R extends Switched, S extends number>(
  options: StatusSwitch<R, S>,
): (row: R, status: S) => Promise<void> {
  const { keys, send, done, before } = options;
  const cache = useQueryClient();
  const switchTo = async (row: R, status: S, isUndo = false): Promise<void> => {
    const { id } = row;
    patchRow(cache, keys, id, { status });
    try {
      patchRow(cache, keys, id, await send(id, status));
      void cache.invalidateQueries({ queryKey: keys.one(id) });
      const undo = () => void switchTo({ ...row, status }, before(row), true);
      toast.success(done(status), isUndo ? {} : { undo });
    } catch (error) {
      patchRow(cache, keys, id, { status: row.status });
      toast.failure(error);
    }
  };
  return useCallbackRef((row: R, status: S) => switchTo(row, status));
}
