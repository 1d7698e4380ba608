/** The live tail: when it may refetch, and which rows are new. */
import { useEffect, useMemo, useState } from 'react';

/** How long a new row is marked: the duration of its fade-in. */
const FRESH_MS = 2_000;

/** Ids that the previous response did not have. None for the first, nor while `isLive` is off. */
export function useFresh(ids: readonly number[] | undefined, isLive: boolean): ReadonlySet<number> {
  const [known, setKnown] = useState<ReadonlySet<number> | undefined>();
  const joined = ids?.join(',');
  useEffect(() => {
    if (!isLive) setKnown(undefined);
    if (!isLive || joined === undefined) return;
    const read = () => setKnown(idsOf(joined));
    const timer = setTimeout(read, FRESH_MS);
    return () => clearTimeout(timer);
  }, [joined, isLive]);
  return useMemo(() => {
    if (!isLive || known === undefined || joined === undefined) return NONE;
    const fresh = [...idsOf(joined)].filter((id) => !known.has(id));
    return fresh.length === 0 ? NONE : new Set(fresh);
  }, [joined, known, isLive]);
}

function idsOf(joined: string): ReadonlySet<number> {
  return new Set(joined.split(',').map(Number));
}

const NONE: ReadonlySet<number> = new Set();

/** True while the user has selected text, which a new row would move. */
export function useHasSelection(): boolean {
  const [has, setHas] = useState(false);
  useEffect(() => {
    const look = () => setHas(document.getSelection()?.isCollapsed === false);
    document.addEventListener('selectionchange', look);
    return () => document.removeEventListener('selectionchange', look);
  }, []);
  return has;
}
