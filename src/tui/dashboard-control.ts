/** What keys, prompts, actions and polling may do with the dashboard; `Runtime` implements it. */
import type { Language } from '../locales/text.ts';
import type { Tone } from './model/line.ts';
import type { List } from './model/list.ts';
import type { Answer, Overlay } from './model/overlay.ts';
import type { State } from './model/state.ts';
import type { Ports } from './ports.ts';
import type { Screens } from './screens/all.ts';
import type { AnyAction, AnyRow, AnyScreen, Memory, ScreenName, Viewer } from './screens/screen.ts';

export interface DashboardControl {
  readonly ports: Ports;
  readonly memory: Memory;
  readonly viewer: Viewer;
  readonly screens: Screens;
  readonly state: State;
  /** Milliseconds between two reads at least. */
  readonly minEveryMs: number;
  readonly poller: { readNow(): void; readOnce(): Promise<void> };
  set(change: Partial<State>): void;
  setLanguage(language: Language): void;
  /** The list on the screen with the screen it belongs to; undefined on the dashboard. */
  opened(): { readonly screen: AnyScreen; readonly list: List<AnyRow> } | undefined;
  change(change: (list: List<AnyRow>, screen: AnyScreen) => List<AnyRow>): void;
  /** What the open screen offers, without what writes where nothing may be written. */
  actions(): readonly AnyAction[];
  move(by: number): void;
  openDetail(): void;
  go(screen: ScreenName, filter?: string): void;
  say(text: string, tone?: Tone): void;
  /** Reports a failure as a message; never throws. */
  attempt(run: () => Promise<unknown>): Promise<void>;
  failureText(thrown: unknown): string;
  /** Shows `overlay` until it is answered. */
  open(overlay: Overlay): Promise<Answer>;
}
