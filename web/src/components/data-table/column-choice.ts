/** The visible columns of a table, their order and widths; stored per table. */
import { useEffect } from 'react';
import { type ColumnChoice, storedColumns, useStored } from '../../lib/browser/stored.ts';
import { type Column, columnsThatDoNotFit } from './columns.ts';

/** Available pixels by table on the screen, for the column settings, which are outside it. */
const rooms = new Map<string, number>();

/** The user's choice, or the columns' defaults that fit the available width. */
export function useColumnChoice<T>(id: string, columns: readonly Column<T>[], ownRoomPx?: number) {
  const [stored, setChoice] = useStored(storedColumns(id));
  useEffect(() => {
    if (ownRoomPx === undefined) return;
    rooms.set(id, ownRoomPx);
    return () => void rooms.delete(id);
  }, [id, ownRoomPx]);
  const roomPx = ownRoomPx ?? rooms.get(id) ?? Number.POSITIVE_INFINITY;
  const { widths = {} } = stored;
  const isUntouched = stored.order.length === 0 && stored.hidden.length === 0;
  const choice = { ...(isUntouched ? ownChoice(columns, roomPx, widths) : stored), widths };
  const setWidths = (next: ColumnChoice['widths']) => setChoice({ ...stored, widths: next });
  return { choice, setChoice, setWidths };
}

function ownChoice<T>(
  columns: readonly Column<T>[],
  roomPx: number,
  widths: NonNullable<ColumnChoice['widths']>,
): ColumnChoice {
  const starting = columns.filter(({ startsHidden }) => !startsHidden);
  const absent = columns.filter(({ startsHidden }) => startsHidden).map(({ key }) => key);
  return {
    order: columns.map(({ key }) => key),
    hidden: [...absent, ...columnsThatDoNotFit(starting, roomPx, widths)],
  };
}
