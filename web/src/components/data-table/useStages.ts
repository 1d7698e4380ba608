import { startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Rows drawn in one go: as many as a task of less than 50 ms has room for. */
const STEP = 10;

type RowId = string | number;

interface Stages {
  /** How many rows are drawn, counted from the first. */
  readonly drawn: number;
  /** Whether the others still wait. */
  readonly isPartial: boolean;
}

/**
 * A page of other records than before is drawn a few rows at a time, each in a task of its own: the
 * reader has the first while the others follow. Records that stay are drawn all at once.
 *
 * @param rows the same array for as long as nothing in it is another
 */
export function useStages(rows: readonly unknown[], ids: readonly RowId[]): Stages {
  const isFresh = useIsFresh(rows, ids);
  const [reached, setReached] = useState({ rows, drawn: STEP });
  const own = reached.rows === rows ? reached.drawn : STEP;
  const drawn = isFresh ? Math.min(own, rows.length) : rows.length;
  const isPartial = drawn < rows.length;
  useEffect(() => {
    if (isPartial) startTransition(() => setReached({ rows, drawn: drawn + STEP }));
  }, [rows, drawn, isPartial]);
  return { drawn, isPartial };
}

/** Whether none of these records was on the page before. */
function useIsFresh(rows: readonly unknown[], ids: readonly RowId[]): boolean {
  const last = useRef<{ rows: readonly unknown[]; ids: ReadonlySet<RowId>; isFresh: boolean }>(
    undefined,
  );
  const before = last.current;
  const isFresh =
    before?.rows === rows ? before.isFresh : !ids.some((id) => before?.ids.has(id) ?? false);
  useLayoutEffect(() => {
    if (last.current?.rows === rows) return;
    last.current = { rows, ids: new Set(ids), isFresh };
  });
  return isFresh;
}
