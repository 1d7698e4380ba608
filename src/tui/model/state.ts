/** Everything that is on the screen, as one value. */
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
  /** 0 while nothing was read. */
  readonly atMs: number;
  readonly failures: number;
  readonly failingSinceMs: number;
  readonly error: string;
}

export interface Message {
  readonly atMs: number;
  readonly text: string;
  readonly tone: Tone;
}

/** A line that is typed at the bottom of the screen. */
export interface Prompt {
  readonly kind: 'filter' | 'command';
  readonly input: TextInput;
  /** The filter as it was, for Esc. */
  readonly before: string;
  /** How far back in the history Up went. */
  readonly recalled: number;
}

export interface State {
  readonly site: Site;
  readonly screen: ScreenName;
  readonly trail: readonly ScreenName[];
  readonly lists: Readonly<Record<ListName, List<AnyRow>>>;
  readonly dashboard: DashboardData | undefined;
  /** The recent error on the dashboard that Enter opens. */
  readonly errorAt: number;
  readonly reads: Readonly<Record<ScreenName, ReadState>>;
  readonly overlay: Overlay | undefined;
  readonly prompt: Prompt | undefined;
  readonly flash: Message | undefined;
  readonly messages: readonly Message[];
  readonly isPaused: boolean;
  readonly isFocused: boolean;
  readonly isDetailOpen: boolean;
  /** Percent of the width that the detail pane takes. */
  readonly paneShare: number;
  readonly revealed: { readonly id: number | string; text: string; untilMs: number } | undefined;
  /** Things that were begun and are not over. */
  readonly running: number;
  readonly filters: readonly string[];
  readonly commands: readonly string[];
  readonly readOnly: boolean;
  readonly columns: number;
  readonly rows: number;
}

export const SMALLEST = { columns: 60, rows: 16 } as const;
const MOST_MESSAGES = 200;
export const FLASH_MS = 5000;
export const REVEAL_MS = 10_000;

export const UNREAD: ReadState = { atMs: 0, failures: 0, failingSinceMs: 0, error: '' };

export function isTooSmall({ columns, rows }: State): boolean {
  return columns < SMALLEST.columns || rows < SMALLEST.rows;
}

/** Lines of a list: all but header, tabs, heading, titles, keys and the line that stays empty. */
export function listHeight({ rows }: Pick<State, 'rows'>): number {
  return Math.max(1, rows - 6);
}

export function withMessage(state: State, message: Message): State {
  const messages = [...state.messages, message].slice(-MOST_MESSAGES);
  return { ...state, flash: message, messages };
}

export function withList(state: State, name: ListName, list: List<AnyRow>): State {
  return { ...state, lists: { ...state.lists, [name]: list } };
}
