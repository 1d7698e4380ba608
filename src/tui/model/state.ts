/** The complete state of the dashboard as one value. */
import type { DashboardData } from '../screens/dashboard.ts';
import type { AnyRow, ListName, ScreenName } from '../screens/screen.ts';
import type { Tone } from './line.ts';
import type { List } from './list.ts';
import type { Overlay } from './overlay.ts';
import type { TextInput } from './text-input.ts';

export interface Site {
  /** Name of the profile, or `local`. */
  readonly profile: string;
  readonly location: string;
  readonly version: string;
  readonly role: number;
  readonly username: string;
}

export interface ReadState {
  /** 0 before the first read. */
  readonly atMs: number;
  readonly failures: number;
  readonly failingSinceMs: number;
  readonly error: string;
}

export interface StatusMessage {
  readonly atMs: number;
  readonly text: string;
  readonly tone: Tone;
}

/** An input line at the bottom of the screen. */
export interface Prompt {
  readonly kind: 'filter' | 'command';
  readonly input: TextInput;
  /** The previous filter, restored by Esc. */
  readonly before: string;
  /** Position in the history, counted from its end. */
  readonly recalled: number;
}

export interface State {
  readonly site: Site;
  readonly screen: ScreenName;
  readonly trail: readonly ScreenName[];
  readonly lists: Readonly<Record<ListName, List<AnyRow>>>;
  readonly dashboard: DashboardData | undefined;
  /** The selected recent error on the dashboard, which Enter opens. */
  readonly errorAt: number;
  readonly reads: Readonly<Record<ScreenName, ReadState>>;
  readonly overlay: Overlay | undefined;
  readonly prompt: Prompt | undefined;
  readonly flash: StatusMessage | undefined;
  readonly messages: readonly StatusMessage[];
  readonly isPaused: boolean;
  readonly isFocused: boolean;
  readonly isDetailOpen: boolean;
  /** Width of the detail pane in percent. */
  readonly paneShare: number;
  readonly revealed: { readonly id: number | string; text: string; untilMs: number } | undefined;
  /** Number of running operations. */
  readonly running: number;
  readonly filters: readonly string[];
  readonly commands: readonly string[];
  readonly readOnly: boolean;
  readonly columns: number;
  readonly rows: number;
}

export const SMALLEST = { columns: 60, rows: 16 } as const;
const MAX_MESSAGES = 200;
export const FLASH_MS = 5000;
export const REVEAL_MS = 10_000;

export const UNREAD: ReadState = { atMs: 0, failures: 0, failingSinceMs: 0, error: '' };

export function isTooSmall({ columns, rows }: State): boolean {
  return columns < SMALLEST.columns || rows < SMALLEST.rows;
}

/** Visible rows of a list: all but header, tabs, heading, titles, key hints and an empty line. */
export function listHeight({ rows }: Pick<State, 'rows'>): number {
  return Math.max(1, rows - 6);
}

export function withMessage(state: State, message: StatusMessage): State {
  const messages = [...state.messages, message].slice(-MAX_MESSAGES);
  return { ...state, flash: message, messages };
}

export function withList(state: State, name: ListName, list: List<AnyRow>): State {
  return { ...state, lists: { ...state.lists, [name]: list } };
}
