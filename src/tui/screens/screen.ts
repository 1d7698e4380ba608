/** What a screen is: how its rows are read and shown, and what may be done with them. */

import type { Language, TextParams, Translate } from '../../locales/text.ts';
import type { Api } from '../../session/session.ts';
import type { Values } from '../../session/values.ts';
import type { Line, Tone } from '../model/line.ts';
import type { List, Shape } from '../model/list.ts';
import type { FormField } from '../model/overlay.ts';

export const LIST_NAMES = ['channels', 'tokens', 'users', 'logs', 'codes', 'options'] as const;
export type ListName = (typeof LIST_NAMES)[number];
export const SCREEN_NAMES = ['dashboard', ...LIST_NAMES] as const;
export type ScreenName = (typeof SCREEN_NAMES)[number];

export type Channel = Awaited<ReturnType<Api['channel']['get']>>;
export type Token = Awaited<ReturnType<Api['token']['get']>>;
export type User = Awaited<ReturnType<Api['user']['get']>>;
export type Log = Awaited<ReturnType<Api['log']['tail']>>[number];
export type LogStat = Awaited<ReturnType<Api['log']['stat']>>;
export type Code = Awaited<ReturnType<Api['redemption']['get']>>;
export type Outcome = Awaited<ReturnType<Api['channelHealth']['one']>>['outcomes'][number];

/** A test of one model of a channel, as the detail pane shows it. */
export interface ChannelTest {
  readonly model: string;
  readonly startedMs: number;
  readonly result?: { readonly ok: boolean; readonly timeMs: number; readonly text: string };
}

/** What screens know beyond their rows; each part is bounded by what it is about. */
export interface Memory {
  /** The latest outcomes of the channels on the screen. */
  health: ReadonlyMap<number, readonly Outcome[]>;
  readonly tests: Map<number, readonly ChannelTest[]>;
  /** Values of options that were typed and not saved. */
  readonly drafts: Map<string, string>;
  /** Sums over the log lines that the filter finds. */
  logStat: LogStat | undefined;
  follow: boolean;
  isTagView: boolean;
}

/** Who reads, in which language and by which clock. */
export interface Viewer {
  readonly t: Translate;
  readonly language: Language;
  readonly quotaPerUnit: number;
  readonly role: number;
  /** At the machine's own terminal: no user, all rights. */
  readonly isOperator: boolean;
  readonly nowMs: () => number;
  readonly memory: Memory;
  /** The secret that is shown for a moment, of the row of this id. */
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

/** What an action may use. An error that it throws becomes a message. */
export interface ActionContext {
  readonly api: Api;
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
    dialog: { readonly title: string; readonly label: string; readonly secret?: boolean },
    value?: string,
  ): Promise<string | undefined>;
  /** Stays open with the refusal until `send` goes through or the person leaves. */
  form(
    title: string,
    fields: readonly FormField[],
    send: (values: Readonly<Record<string, string>>) => Promise<void>,
  ): Promise<boolean>;
  page(title: string, text: string): Promise<void>;
  say(text: string, tone?: Tone): void;
  copy(text: string, what: string): void;
  reveal(id: number | string, secret: string): void;
  edit(text: string, extension: string): Promise<string>;
  go(screen: ScreenName, filter?: string): void;
  /** Undefined: the server's own order. */
  sortBy(column: string | undefined): void;
  refresh(): void;
  redraw(): void;
  /** Counts as running until it ends: leaving asks. */
  work<T>(run: () => Promise<T>): Promise<T>;
  /** Where this machine reaches the gateway. */
  address(): Promise<string>;
  writeFile(path: string, text: string): Promise<void>;
}

export interface Action<Row> {
  readonly key: string;
  /** Its text stands under `tui.keys`. */
  readonly name: string;
  /** Gone with `--read-only`. */
  readonly writes?: true;
  readonly on: 'none' | 'row' | 'rows';
  /** Lowest role that has the key. */
  readonly role?: number;
  run(context: ActionContext, rows: readonly Row[]): unknown;
}

export interface Screen<Row> extends Shape<Row> {
  readonly name: ListName;
  readonly role: number;
  readonly everyMs: number;
  readonly actions: readonly Action<Row>[];
  /** Of the web console. */
  readonly path: string;
  /** Detail stands below the list rather than beside it, as long as there is no room for both. */
  readonly below?: true;
  read(api: Api, page: PageQuery, query: object): Promise<ReadPage<Row>>;
  /** Rows that came since `rows` were read; then only these are asked for. */
  readNewer?(api: Api, rows: readonly Row[], query: object): Promise<readonly Row[]>;
  /** What else the rows on the screen need. */
  readExtras?(api: Api, rows: readonly Row[], query: object): Promise<void>;
  heading(list: List<Row>): Line;
  detail(row: Row): readonly Line[];
}

/** Lists hold rows of any kind: each goes back only to the screen that read it. */
export type AnyRow = object;
export type AnyScreen = Screen<AnyRow>;
export type AnyAction = Action<AnyRow>;
