/** Helpers shared by the actions of several screens. */
import { listText } from '../../locales/text.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Action, ActionContext } from './screen.ts';

/** `role` is the minimum role. */
export function action<Row>(
  key: string,
  name: string,
  on: Action<Row>['on'],
  run: Action<Row>['run'],
  more: { readonly role?: number } = {},
): Action<Row> {
  return { key, name, on, run, ...more };
}

/** A writing action, not available with `--read-only`. */
export function change<Row>(...row: Parameters<typeof action<Row>>): Action<Row> {
  return { ...action(...row), writes: true };
}

type RunOnRow<Row> = (context: ActionContext, row: Row) => unknown;

/** An action on a single row. */
export function rowAction<Row>(
  key: string,
  name: string,
  run: RunOnRow<Row>,
  more?: { readonly role?: number },
): Action<Row> {
  return action(key, name, 'row', (context, [row]) => row && run(context, row), more);
}

/** A writing action on a single row. */
export function rowChange<Row>(key: string, name: string, run: RunOnRow<Row>): Action<Row> {
  return { ...rowAction(key, name, run), writes: true };
}

interface HasId {
  readonly id: number;
}

type RowCommand = readonly [noun: string, verb: string];

/** Runs a command for each row and reports how many there were. */
export async function runEach(
  context: ActionContext,
  rows: readonly HasId[],
  [noun, verb]: RowCommand,
  word: DoneWord,
): Promise<void> {
  await forEachInParallel(rows, ({ id }) => context.run([noun, verb, String(id)]));
  showDone(context, word, rows.length);
}

/** A command for each row, named as its verb. */
export function eachAction<Row extends HasId>(
  key: string,
  command: RowCommand,
  word: DoneWord,
): Action<Row> {
  return change(key, command[1], 'rows', (context, rows) => runEach(context, rows, command, word));
}

interface Deletion<Row> {
  /** Locale key under `tui.nouns` and `tui.loses`. */
  readonly noun: 'users' | 'codes' | 'tokens' | 'channels';
  /** The noun of the commands. */
  readonly command: string;
  readonly nameOf: (row: Row) => string;
  /** Deletes all rows in one call, and returns their number; if absent, a command deletes each. */
  readonly remove?: (api: LocalApi, ids: number[]) => Promise<number>;
}

/** Deletes rows after a confirmation; for several rows their number must be typed. */
export function deleteAction<Row extends HasId>({
  noun,
  command,
  nameOf,
  remove,
}: Deletion<Row>): Action<Row> {
  return change('delete', 'delete', 'rows', async (context, rows) => {
    const { t } = context;
    const count = rows.length;
    const isSure = await context.confirm({
      title: t('tui.dialog.delete', { count, noun: t(`tui.nouns.${noun}`, { count }) }),
      body: [namesText(rows.map(nameOf), context), t(`tui.loses.${noun}`, { count })],
      verb: t('tui.dialog.delete_verb'),
      ...(count > 1 && { count }),
    });
    if (!isSure) return;
    if (remove === undefined) return runEach(context, rows, [command, 'delete'], 'deleted');
    const ids = rows.map(({ id }) => id);
    showDone(context, 'deleted', await remove(context.api, ids));
  });
}

type DoneWord = 'deleted' | 'changed' | 'enabled' | 'disabled';

/** Reports a completed write and reloads the rows. */
export function showDone(context: ActionContext, word: DoneWord, count: number): void {
  context.showMessage(context.t(`tui.messages.${word}`, { count }), 'good');
  context.refresh();
}

const NAMES_SHOWN = 8;
const AT_ONCE = 4;

/** `a, b, c` and how many more of `count`, if not all names are listed. */
export function namesText(
  names: readonly string[],
  { t }: ActionContext,
  count = names.length,
): string {
  const shown = names.slice(0, NAMES_SHOWN);
  const more = count - shown.length;
  return more > 0 ? t('tui.words.and_more', { names: shown, count: more }) : listText(shown, t);
}

/** Runs up to four calls at once, in order; rejects with the first error once all are done. */
export async function forEachInParallel<T>(
  items: readonly T[],
  run: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items];
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await run(item).catch((error: unknown) => {
        failure ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failure !== undefined) throw failure.error;
}
