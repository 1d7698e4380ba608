/** The screen that is open as sentences, and where the cursor stands among them. */
import { hasText } from '../../locales/text.ts';
import { current, type List, windowOf } from '../model/list.ts';
import { listHeight } from '../model/state.ts';
import type { Runtime } from '../runtime.ts';
import type { AnyRow, AnyScreen, Reader } from '../screens/screen.ts';
import { headingSpans } from '../view/header.ts';
import { dashboardSentences, errorKey } from './dashboard.ts';
import { type Field, type Sentence, sentence, spokenText } from './sentence.ts';

export interface Cursor {
  readonly key: string;
  /** `3/42`. */
  readonly position: string;
  readonly sentence: Sentence;
}

export interface Detail {
  readonly key: string;
  readonly lines: readonly string[];
}

export interface Speech {
  /** What is looked at. When it is something else, all of it is told. */
  readonly place: string;
  readonly title: string;
  /** As many as a screen would show, around the cursor. */
  readonly sentences: readonly Sentence[];
  readonly cursor: Cursor | undefined;
  readonly detail: Detail | undefined;
  /** Whether the thing of this key is there at all, in sight or not. */
  holds(key: string): boolean;
}

export function speechOf(runtime: Runtime): Speech {
  const open = runtime.opened();
  return open === undefined ? dashboardSpeech(runtime) : listSpeech(runtime, open);
}

function dashboardSpeech({ state, reader }: Runtime): Speech {
  const { dashboard: data, errorAt } = state;
  const { t, language } = reader;
  const sentences =
    data === undefined
      ? [sentence('loading', t('tui.say.loading'))]
      : dashboardSentences(data, reader);
  const error = data?.errors[errorAt];
  const chosen = sentences.find(({ key }) => error !== undefined && key === errorKey(error));
  return {
    place: `dashboard ${language} ${data !== undefined}`,
    title: t('tui.screens.dashboard'),
    sentences,
    cursor: chosen && {
      key: chosen.key,
      position: `${errorAt + 1}/${data?.errors.length}`,
      sentence: chosen,
    },
    detail: undefined,
    holds: () => false,
  };
}

interface Open {
  readonly screen: AnyScreen;
  readonly list: List<AnyRow>;
}

function listSpeech(runtime: Runtime, open: Open): Speech {
  const { state, reader } = runtime;
  const { screen, list } = open;
  const wasRead = state.reads[screen.name].atMs > 0;
  const keyOf = (row: AnyRow) => String(screen.id(row));
  // Rows come before what is read beside them: until both are there, nothing of them is told.
  const visible = wasRead ? windowOf(list, listHeight(state)).rows : [];
  const rows = visible.map((row) => rowSentence(row, open, reader));
  const empty = sentence('empty', reader.t(wasRead ? 'tui.say.nothing' : 'tui.say.loading'));
  const at = wasRead ? current(list) : undefined;
  return {
    place: JSON.stringify([screen.name, list.filter, list.sort, wasRead, reader.language]),
    title: wasRead ? spokenText(headingSpans(runtime)) : reader.t(`tui.screens.${screen.name}`),
    sentences: rows.length === 0 ? [empty] : rows,
    cursor: at && {
      key: keyOf(at),
      position: `${list.cursor + 1}/${countOf(list)}`,
      sentence: rowSentence(at, open, reader),
    },
    detail:
      at && state.isDetailOpen ? { key: keyOf(at), lines: detailLines(screen, at) } : undefined,
    holds: (key) => list.shown.some((row) => keyOf(row) === key),
  };
}

/** Of all rows that there are, also those not read yet; with a filter of what it finds. */
function countOf({ shown, rows, total }: List<AnyRow>): number {
  return shown.length < rows.length ? shown.length : total;
}

function detailLines(screen: AnyScreen, row: AnyRow): readonly string[] {
  const lines = screen.detail(row).map(spokenText);
  return lines.filter((text) => text !== '' && !text.endsWith(': -'));
}

/** Columns that tell a row apart, the best first. */
const NAMING = ['name', 'key', 'id', 'time'] as const;
/** What a cell shows that has nothing to show. */
const NOTHING = new Set(['', '-']);

function rowSentence(row: AnyRow, { screen, list }: Open, reader: Reader): Sentence {
  const cells = screen.columns.map((column) => {
    const { text, spoken = text } = column.shown(row);
    return { key: column.key, value: spoken.trim() };
  });
  const naming = NAMING.map((name) => cells.find(({ key }) => key === name)?.value ?? '');
  const isMarked = list.marks.has(screen.id(row));
  const mark = { name: reader.t('tui.speech.marked'), value: reader.t('tui.words.yes') };
  const fields = cells
    .filter(({ key, value }) => !list.hidden.has(key) && !NOTHING.has(value))
    .map(({ key, value }): Field => ({ name: columnName(key, reader), value }));
  const about = naming.find((name) => !NOTHING.has(name)) ?? '';
  const key = String(screen.id(row));
  return { key, head: '', about, fields: isMarked ? [mark, ...fields] : fields };
}

/** Titles that are short for the sake of the width have a whole word of their own. */
function columnName(key: string, { t, language }: Reader): string {
  const spoken = `tui.speech.columns.${key}`;
  return t(hasText(spoken, language) ? spoken : `tui.columns.${key}`);
}
