import { Fragment, type KeyboardEvent, memo, type ReactNode } from 'react';
import { IconButton } from '../display/IconButton.tsx';
import type { Column, RowAction } from './columns.ts';
import classes from './DataTable.module.css';
import { RowActions } from './RowActions.tsx';
import { RowIcon } from './RowIcon.tsx';

/** What of a column a cell needs. */
interface CellColumn<T> {
  readonly key: string;
  readonly className: string;
  readonly style: React.CSSProperties | undefined;
  readonly pin: 'left' | undefined;
  readonly hasState: boolean;
  readonly render: (row: T) => ReactNode;
  readonly whole: ((row: T) => string | undefined) | undefined;
}

/** What all rows of a table have alike; made once, so that rows can be left alone. */
export interface RowLook<T> {
  readonly cells: readonly CellColumn<T>[];
  /** Shown below a row that is open; with it rows open on a click. */
  readonly detail: ((row: T) => ReactNode) | undefined;
  /** How many cells a row has at most. */
  readonly span: number;
  readonly hasBoxes: boolean;
  /** Whether nothing is pinned after the boxes, so that they bear the shadow. */
  readonly isEdge: boolean;
  readonly selectLabel: string;
  readonly openLabel: string;
  readonly onChoose: (id: string | number, withShift: boolean) => void;
  readonly onToggle: (id: string | number) => void;
  /** Enter on the row; a click as well where a click does not open it. */
  readonly onEnter: ((row: T) => void) | undefined;
}

interface TableRowProps<T> {
  readonly row: T;
  readonly id: string | number;
  readonly look: RowLook<T>;
  readonly className: string;
  readonly actions: readonly RowAction[] | undefined;
  readonly isChosen: boolean;
  readonly isOpen: boolean;
}

export const SELECTION_PX = 44;

export function cellColumn<T>(column: Column<T>, hasBoxes: boolean): CellColumn<T> {
  const { key, render, whole, width, align = 'left', pin, hasState = false } = column;
  return {
    key,
    render,
    whole,
    pin,
    hasState,
    className: [
      classes.cell,
      width !== undefined && classes.sized,
      (whole !== undefined || align === 'right') && classes.number,
      align !== 'left' && `mantine-datatable-text-align-${align}`,
    ]
      .filter(Boolean)
      .join(' '),
    style:
      pin === undefined
        ? undefined
        : { position: 'sticky', left: hasBoxes ? SELECTION_PX : 0, overflow: 'visible' },
  };
}

/**
 * One row, plain elements in the table's clothes: components around each of a thousand cells took most
 * of the time of a page. It is drawn again only for what is new in it.
 */
export const TableRow = memo(function TableRow<T>(props: TableRowProps<T>) {
  const { row, id, look, className, actions, isChosen, isOpen } = props;
  const { detail, onEnter, onToggle } = look;
  const onClick = detail ? () => onToggle(id) : onEnter && (() => onEnter(row));
  return (
    <>
      <tr
        className={className}
        data-with-row-border
        data-selected={isChosen || undefined}
        onClick={onClick}
        {...(onEnter && { tabIndex: 0, onKeyDown: byEnter(() => onEnter(row)) })}
      >
        {look.hasBoxes && (
          <BoxCell
            label={look.selectLabel}
            isChosen={isChosen}
            isEdge={look.isEdge}
            onChoose={(withShift) => look.onChoose(id, withShift)}
          />
        )}
        {detail && (
          <OpenCell label={look.openLabel} isOpen={isOpen} onToggle={() => onToggle(id)} />
        )}
        <Cells id={id} row={row} columns={look.cells} />
        {actions && (
          <td
            className={`${classes.cell} ${classes.last}`}
            data-pinned="right"
            data-pinned-shadow="right"
          >
            <RowActions actions={actions} id={id} />
          </td>
        )}
      </tr>
      {detail && isOpen && (
        <tr key={id} data-with-row-border>
          <td className="mantine-datatable-row-expansion-cell" colSpan={look.span}>
            <div className="mantine-datatable-row-expansion-cell-content">{detail(row)}</div>
          </td>
        </tr>
      )}
    </>
  );
}) as <T>(props: TableRowProps<T>) => ReactNode; // `memo` cannot keep the type of the rows

interface AwaitedRowProps {
  readonly span: number;
  readonly className: string | undefined;
}

/** Keeps the room of a row that is about to be drawn. */
export function AwaitedRow({ span, className = '' }: AwaitedRowProps) {
  return (
    <tr className={`mantine-datatable-row ${className}`} data-with-row-border>
      <td colSpan={span} />
    </tr>
  );
}

function byEnter(act: () => void) {
  return (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target === event.currentTarget) act();
  };
}

interface CellsProps<T> {
  readonly id: string | number;
  readonly row: T;
  readonly columns: readonly CellColumn<T>[];
}

/** Apart from the row, which is drawn again when it is chosen or opened. */
const Cells = memo(function Cells<T>({ id, row, columns }: CellsProps<T>) {
  return columns.map(({ key, className, style, pin, hasState, render, whole }) => (
    <td
      key={key}
      className={className}
      style={style}
      data-pinned={pin}
      data-pinned-shadow={pin}
      data-hint={whole?.(row)}
    >
      {hasState ? <Fragment key={id}>{render(row)}</Fragment> : render(row)}
    </td>
  ));
}) as <T>(props: CellsProps<T>) => ReactNode; // as above

interface OpenCellProps {
  readonly label: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** The button that opens a row, which a click on the row does as well. */
function OpenCell({ label, isOpen, onToggle }: OpenCellProps) {
  return (
    <td className={classes.opener}>
      <IconButton
        size={24}
        label={label}
        data-hint={undefined}
        aria-expanded={isOpen}
        onClick={(event) => {
          event.stopPropagation();
          onToggle();
        }}
      >
        <RowIcon name="chevronRight" className={isOpen ? classes.chevronOpen : classes.chevron} />
      </IconButton>
    </td>
  );
}

interface BoxCellProps {
  readonly label: string;
  readonly isChosen: boolean;
  readonly isEdge: boolean;
  readonly onChoose: (withShift: boolean) => void;
}

/** The box that chooses a row. */
function BoxCell({ label, isChosen, isEdge, onChoose }: BoxCellProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: only keeps the row from hearing the box
    <td
      className="mantine-datatable-row-selector-cell"
      data-shadow-visible={isEdge || undefined}
      onClick={(event) => event.stopPropagation()}
    >
      <input
        type="checkbox"
        className={classes.box}
        aria-label={label}
        checked={isChosen}
        onChange={(event) => {
          const { nativeEvent } = event;
          onChoose(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey);
        }}
      />
    </td>
  );
}
