/** Interface of a screen: how its rows are read and shown, and which actions it offers. */

import type { Language, TextParams, Translate } from '../../locales/text.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Values } from '../../session/values.ts';
import type { Line, Tone } from '../model/line.ts';
import type { List, ListShape } from '../model/list.ts';
import type { FormField } from '../model/overlay.ts';

export const LIST_NAMES = ['channels', 'tokens', 'users', 'logs', 'codes', 'options'] as const;
export type ListName = (typeof LIST_NAMES)[number];
export const SCREEN_NAMES = ['dashboard', ...LIST_NAMES] as const;
export type ScreenName = (typeof SCREEN_NAMES)[number];

export type Channel = Awaited<ReturnType<LocalApi['channel']['get']>>;
export type ListedToken = Awaited<ReturnType<LocalApi['token']['get']>>;
export type User = Awaited<ReturnType<LocalApi['user']['get']>>;
export type Log = Awaited<ReturnType<LocalApi['log']['tail']>>[number];
export type LogStat = Awaited<ReturnType<LocalApi['log']['stat']>>;
export type Code = Awaited<ReturnType<LocalApi['redemption']['get']>>;
export type ActionOutcome = Awaited<
  ReturnType<LocalApi['channelHealth']['one']>
>['outcomes'][number];

/** The test result of one model, shown in the detail pane. */
export interface ChannelTest {
  readonly model: string;
  readonly startedMs: number;
  readonly result?: { readonly ok: boolean; readonly timeMs: number; readonly text: string };
}

/** Data of screens beyond their rows; each part is bounded by the objects it describes. */
export interface ScreenData {
  /** The latest outcomes of the visible channels. */
  health: ReadonlyMap<number, readonly ActionOutcome[]>;
  readonly tests: Map<number, readonly ChannelTest[]>;
  /** Unsaved option values. */
  readonly drafts: Map<string, string>;
  /** Sums over the log entries that match the filter. */
  logStat: LogStat | undefined;
  follow: boolean;
  isTagView: boolean;
}

/** The viewer's role, language, clock and settings. */
export interface Viewer {
  readonly t: Translate;
  readonly language: Language;
  readonly quotaPerUnit: number;
  readonly role: number;
  /** At the machine's own terminal: no user, all permissions. */
  readonly isOperator: boolean;
  readonly nowMs: () => number;
  readonly memory: ScreenData;
  /** The temporarily revealed secret of the row with this id. */
  readonly revealed: (id: number | string) => string | undefined;
}

export interface PageQuery {
  readonly p: number;
  readonly page_size: number;
}

export interface ReadPage<Row> {
  readonly items: readonly Row[];
  readonly total: number;
}

export type ReplyRow = Readonly<Record<string, unknown>>;

/** Context of actions. Errors that an action throws are shown as messages. */
export interface ActionContext {
  readonly api: LocalApi;
  readonly viewer: Viewer;
  readonly values: Values;
  t(key: string, params?: TextParams): string;
  confirm(dialog: {
    readonly title: string;
    readonly body: readonly string[];
    readonly verb: string;
    readonly count?: number;
  }): Promise<boolean>;
  ask(
    dialog: { readonly title: string; readonly label: string },
    value?: string,
  ): Promise<string | undefined>;
  /** Stays open, showing the error, until `send` succeeds or the user cancels. */
  form(
    title: string,
    fields: readonly FormField[],
    send: (values: Readonly<Record<string, string>>) => Promise<void>,
  ): Promise<boolean>;
  page(title: string, text: string): Promise<void>;
  showMessage(text: string, tone?: Tone): void;
  copy(text: string, what: string): void;
  reveal(id: number | string, secret: string): void;
  edit(text: string, extension: string): Promise<string>;
  /** Runs a command of `gateway`; returns the rows of its reply. */
  run(
    argv: readonly string[],
    given?: { readonly stdin?: string; readonly api?: LocalApi },
  ): Promise<readonly ReplyRow[]>;
  go(screen: ScreenName, filter?: string): void;
  /** Undefined restores the server's order. */
  sortBy(column: string | undefined): void;
  refresh(): void;
  redraw(): void;
  /** Counts as running until it ends; quitting meanwhile asks for confirmation. */
  work<T>(run: () => Promise<T>): Promise<T>;
  /** URL at which this machine reaches the gateway. */
  address(): Promise<string>;
  writeFile(path: string, text: string): Promise<void>;
}

export interface Action<Row> {
  readonly key: string;
  /** Locale key under `tui.keys`. */
  readonly name: string;
  /** Not available with `--read-only`. */
  readonly writes?: true;
  readonly on: 'none' | 'row' | 'rows';
  /** Minimum role; that of the screen if absent. */
  readonly role?: number;
  run(context: ActionContext, rows: readonly Row[]): unknown;
}

export interface Screen<Row> extends ListShape<Row> {
  readonly name: ListName;
  readonly role: number;
  readonly everyMs: number;
  readonly actions: readonly Action<Row>[];
  /** Path in the web console. */
  readonly path: string;
  /** Shows the detail below the list instead of beside it until the terminal is very wide. */
  readonly below?: true;
  read(api: LocalApi, page: PageQuery, query: object): Promise<ReadPage<Row>>;
  /** Reads rows newer than `rows`; if defined, regular updates read only these. */
  readNewer?(api: LocalApi, rows: readonly Row[], query: object): Promise<readonly Row[]>;
  /** Where `readNewer` is: the server's order. A row that is new may be old, after an import. */
  compare?(one: Row, other: Row): number;
  /** Reads additional data of the visible rows. */
  readExtras?(api: LocalApi, rows: readonly Row[], query: object): Promise<void>;
  heading(list: List<Row>): Line;
  /** Lines of the details above the fields; the first is their title. */
  head(row: Row): readonly Line[];
  /** Lines below the fields. */
  tail?(row: Row): readonly Line[];
}

/** Rows are untyped in shared code: each goes back only to the screen that read it. */
export type AnyRow = object;
export type AnyScreen = Screen<AnyRow>;
export type AnyAction = Action<AnyRow>;
