import { Checkbox, Table } from '@mantine/core';
import { type KeyboardEvent, memo, type ReactNode } from 'react';
import { useCellText } from '../../lib/text/cell-text.ts';
import { IconButton } from '../display/IconButton.tsx';
import type { Column, RowAction } from './columns.ts';
import classes from './DataTable.module.css';
import { RowActions } from './RowActions.tsx';
import { RowIcon } from './RowIcon.tsx';
import { OPEN_PX, SELECT_PX } from './useRowTable.ts';

/** The props shared by all rows of a table; created once, so that rows do not re-render. */
export interface SharedRowProps<T> {
  readonly columns: readonly Column<T>[];
  readonly actions: ((row: T) => readonly RowAction[]) | undefined;
  /** Rendered below an open row; if set, a click opens the row. */
  readonly detail: ((row: T) => ReactNode) | undefined;
  readonly hasBoxes: boolean;
  readonly onChoose: (id: string, event: unknown) => void;
  readonly onToggle: (id: string) => void;
  /** Called on Enter, and on a click unless a click opens the row. */
  readonly onEnter: ((row: T) => void) | undefined;
}

interface TableRowProps<T> {
  readonly record: T;
  readonly id: string;
  /** The row's index on the page. */
  readonly index: number;
  readonly look: SharedRowProps<T>;
  /** Called with the row's element to observe its height. */
  readonly measure: ((element: HTMLElement | null) => void) | undefined;
  readonly isChosen: boolean;
  readonly isOpen: boolean;
  readonly isMuted: boolean;
  readonly mark: 'failed' | 'fresh' | undefined;
}

/** A component per cell would dominate the render time of a page of a thousand cells. */
const CELL = `${Table.classes.td} ${classes.cell}`;

/** One row and its detail; memoized. */
export const TableRow = memo(function TableRow<T>(props: TableRowProps<T>) {
  const { record, id, index, look, isChosen, isOpen } = props;
  const { actions, detail, onEnter, onToggle } = look;
  const onClick = detail ? () => onToggle(id) : onEnter && (() => onEnter(record));
  return (
    <tbody ref={props.measure} data-index={index}>
      <tr
        className={classes.row}
        aria-rowindex={index + 2}
        data-selected={isChosen || undefined}
        data-muted={props.isMuted || undefined}
        data-mark={props.mark}
        data-clickable={onClick !== undefined || undefined}
        onClick={onClick}
        {...(onEnter && { tabIndex: 0, onKeyDown: byEnter(() => onEnter(record)) })}
      >
        {look.hasBoxes && <BoxCell id={id} look={look} isOn={isChosen} />}
        {detail && <OpenCell id={id} look={look} isOn={isOpen} />}
        <Cells record={record} look={look} />
        {actions && (
          <td className={CELL} style={{ right: 0 }} data-pinned="end" data-edge="end">
            <RowActions actions={actions(record)} id={id} />
          </td>
        )}
      </tr>
      {detail && isOpen && (
        <tr>
          <td
            className={`${CELL} ${classes.detail}`}
            colSpan={
              look.columns.length + 1 + Number(look.hasBoxes) + Number(actions !== undefined)
            }
          >
            {detail(record)}
          </td>
        </tr>
      )}
    </tbody>
  );
}) as <T>(props: TableRowProps<T>) => ReactNode; // `memo` loses the generic row type

function byEnter(act: () => void) {
  return (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target === event.currentTarget) act();
  };
}

interface CellsProps<T> {
  readonly record: T;
  readonly look: SharedRowProps<T>;
}

/** Separate from the row, which re-renders when it is selected or opened. */
const Cells = memo(function Cells<T>({ record, look }: CellsProps<T>) {
  const { columns, hasBoxes, detail } = look;
  return columns.map(({ key, align, pin, whole, render }) => (
    <td
      key={key}
      className={CELL}
      data-align={align}
      data-cut={whole !== undefined || align === 'right' || undefined}
      data-hint={whole?.(record)}
      {...(pin && {
        style: { left: (hasBoxes ? SELECT_PX : 0) + (detail ? OPEN_PX : 0) },
        'data-pinned': 'start',
        'data-edge': 'start',
      })}
    >
      {render(record)}
    </td>
  ));
}) as <T>(props: CellsProps<T>) => ReactNode; // as above

interface OwnCellProps<T> {
  readonly id: string;
  readonly look: SharedRowProps<T>;
  readonly isOn: boolean;
}

/** The button that opens a row, as a click on the row does. */
function OpenCell<T>({ id, look, isOn }: OwnCellProps<T>) {
  const t = useCellText();
  const isEdge = look.columns.every(({ pin }) => pin === undefined);
  return (
    <td
      className={CELL}
      style={{ left: look.hasBoxes ? SELECT_PX : 0 }}
      data-pinned="start"
      data-edge={isEdge ? 'start' : undefined}
    >
      <IconButton
        size={24}
        label={t('part.table.detail')}
        data-hint={undefined}
        aria-expanded={isOn}
        onClick={(event) => {
          event.stopPropagation();
          look.onToggle(id);
        }}
      >
        <RowIcon name="chevronRight" className={classes.chevron} />
      </IconButton>
    </td>
  );
}

/** The checkbox that selects a row; with Shift, all rows since the last one. */
function BoxCell<T>({ id, look, isOn }: OwnCellProps<T>) {
  const t = useCellText();
  const isEdge = look.detail === undefined && look.columns.every(({ pin }) => pin === undefined);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: only stops clicks on the checkbox from reaching the row
    <td
      className={CELL}
      style={{ left: 0 }}
      data-pinned="start"
      data-edge={isEdge ? 'start' : undefined}
      onClick={(event) => event.stopPropagation()}
    >
      <Checkbox
        size="xs"
        aria-label={t('part.table.select')}
        checked={isOn}
        onChange={(event) => look.onChoose(id, event)}
      />
    </td>
  );
}
