/** The dashboard's interface for keys, prompts, actions and polling; implemented by `Runtime`. */
import type { Language } from '../locales/text.ts';
import type { Tone } from './model/line.ts';
import type { List } from './model/list.ts';
import type { DialogAnswer, Overlay } from './model/overlay.ts';
import type { State } from './model/state.ts';
import type { DashboardPorts } from './ports.ts';
import type { Screens } from './screens/all.ts';
import type {
  AnyAction,
  AnyRow,
  AnyScreen,
  ScreenData,
  ScreenName,
  Viewer,
} from './screens/screen.ts';

export interface DashboardControl {
  readonly ports: DashboardPorts;
  readonly memory: ScreenData;
  readonly viewer: Viewer;
  readonly screens: Screens;
  readonly state: State;
  /** Minimum milliseconds between reads. */
  readonly minEveryMs: number;
  readonly poller: { readNow(): void; readAfter(ms: number): void; readOnce(): Promise<void> };
  set(change: Partial<State>): void;
  setLanguage(language: Language): void;
  /** The open screen and its list; undefined on the dashboard. */
  opened(): { readonly screen: AnyScreen; readonly list: List<AnyRow> } | undefined;
  change(change: (list: List<AnyRow>, screen: AnyScreen) => List<AnyRow>): void;
  /** Actions of the open screen that the role permits, without writing ones in read-only mode. */
  actions(): readonly AnyAction[];
  move(by: number): void;
  toggleDetail(): void;
  go(screen: ScreenName, filter?: string): void;
  showMessage(text: string, tone?: Tone): void;
  /** Reports a failure as a message; never throws. */
  attempt(run: () => Promise<unknown>): Promise<void>;
  failureText(thrown: unknown): string;
  /** Shows `overlay` and resolves with its answer. */
  open(overlay: Overlay): Promise<DialogAnswer>;
}
