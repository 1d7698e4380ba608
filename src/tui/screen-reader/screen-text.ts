/** The open screen as items, and the cursor's position among them. */
import { headingOf } from '../header.ts';
import { currentRow, type List, windowOf } from '../model/list.ts';
import { listHeight } from '../model/state.ts';
import type { Runtime } from '../runtime.ts';
import { columnName } from '../screens/format.ts';
import type { AnyRow, AnyScreen, Viewer } from '../screens/screen.ts';
import { dashboardItems, errorKey } from './dashboard-text.ts';
import { type Field, type Item, item, labelText } from './item.ts';

export interface Cursor {
  readonly key: string;
  /** `3/42`. */
  readonly position: string;
  readonly item: Item;
}

export interface DetailText {
  readonly key: string;
  readonly lines: readonly string[];
}

export interface ScreenText {
  /** Identifies the content. When it changes, everything is announced. */
  readonly contentId: string;
  readonly title: string;
  /** The items that a screen would show, around the cursor. */
  readonly items: readonly Item[];
  readonly cursor: Cursor | undefined;
  readonly detail: DetailText | undefined;
  /** Whether an item with this key exists, visible or not. */
  holds(key: string): boolean;
}

export function screenTextOf(runtime: Runtime): ScreenText {
  const open = runtime.opened();
  return open === undefined ? dashboardText(runtime) : listText(runtime, open);
}

function dashboardText({ state, viewer }: Runtime): ScreenText {
  const { dashboard: data, errorAt } = state;
  const { t, language } = viewer;
  const items =
    data === undefined
      ? [item('loading', t('tui.messages.loading'))]
      : dashboardItems(data, viewer);
  const error = data?.errors[errorAt];
  const selected = items.find(({ key }) => error !== undefined && key === errorKey(error));
  return {
    contentId: `dashboard ${language} ${data !== undefined}`,
    title: t('tui.screens.dashboard'),
    items,
    cursor: selected && {
      key: selected.key,
      position: `${errorAt + 1}/${data?.errors.length}`,
      item: selected,
    },
    detail: undefined,
    holds: () => false,
  };
}

interface Open {
  readonly screen: AnyScreen;
  readonly list: List<AnyRow>;
}

function listText(runtime: Runtime, open: Open): ScreenText {
  const { state, viewer } = runtime;
  const { screen, list } = open;
  const wasRead = state.reads[screen.name].atMs > 0;
  const keyOf = (row: AnyRow) => String(screen.id(row));
  // Rows arrive before their extra data; they are announced once both are loaded.
  const visible = wasRead ? windowOf(list, listHeight(state)).rows : [];
  const rows = visible.map((row) => rowItem(row, open, viewer));
  const empty = item('empty', viewer.t(wasRead ? 'tui.messages.nothing' : 'tui.messages.loading'));
  const at = wasRead ? currentRow(list) : undefined;
  return {
    contentId: JSON.stringify([screen.name, list.filter, list.sort, wasRead, viewer.language]),
    title: wasRead
      ? labelText(headingOf(runtime), viewer.t)
      : viewer.t(`tui.screens.${screen.name}`),
    items: rows.length === 0 ? [empty] : rows,
    cursor: at && {
      key: keyOf(at),
      position: `${list.cursor + 1}/${countOf(list)}`,
      item: rowItem(at, open, viewer),
    },
    detail:
      at && state.isDetailOpen
        ? { key: keyOf(at), lines: detailLines(screen, at, viewer) }
        : undefined,
    holds: (key) => list.shown.some((row) => keyOf(row) === key),
  };
}

/** All rows, including those not loaded yet; with a filter, the matching ones. */
function countOf({ shown, rows, total }: List<AnyRow>): number {
  return shown.length < rows.length ? shown.length : total;
}

function detailLines(screen: AnyScreen, row: AnyRow, { t }: Viewer): readonly string[] {
  const lines = screen.detail(row).map((line) => labelText(line, t));
  return lines.filter((text) => text !== '' && !/[:：] ?-$/u.test(text));
}

/** Columns that identify a row, the best first. */
const NAMING = ['name', 'key', 'id', 'time'] as const;
/** Texts of empty cells. */
const NOTHING = new Set(['', '-']);

function rowItem(row: AnyRow, { screen, list }: Open, viewer: Viewer): Item {
  const cells = screen.columns.map((column) => {
    const { text, label = text } = column.shown(row);
    return { key: column.key, value: label.trim() };
  });
  const naming = NAMING.map((name) => cells.find(({ key }) => key === name)?.value ?? '');
  const isMarked = list.marks.has(screen.id(row));
  const mark = { name: viewer.t('tui.speech.marked'), value: viewer.t('tui.words.yes') };
  const fields = cells
    .filter(({ key, value }) => !list.hidden.has(key) && !NOTHING.has(value))
    .map(({ key, value }): Field => ({ name: columnName(key, viewer), value }));
  const about = naming.find((name) => !NOTHING.has(name)) ?? '';
  const key = String(screen.id(row));
  return { key, head: '', about, fields: isMarked ? [mark, ...fields] : fields };
}
