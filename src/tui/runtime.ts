/** The dashboard's controller: turns keys and server responses into states. */
import { asAppError } from '../domain/errors/errors.ts';
import { adviceText, errorText, type Language, translator } from '../locales/text.ts';
import { actionContextFor } from './action-context.ts';
import type { DashboardControl } from './dashboard-control.ts';
import { globalKey } from './global-keys.ts';
import type { Tone } from './model/line.ts';
import { emptyList, type List, movedBy, selectedRows, withFilter } from './model/list.ts';
import { type DialogAnswer, handleKey, type Overlay } from './model/overlay.ts';
import { FLASH_MS, listHeight, type State, UNREAD, withList, withMessage } from './model/state.ts';
import { Poller } from './poller.ts';
import type { DashboardPorts } from './ports.ts';
import { promptKey } from './prompt.ts';
import { mayOpen, type Screens, screensFor } from './screens/all.ts';
import {
  type ActionContext,
  type AnyAction,
  type AnyRow,
  type AnyScreen,
  LIST_NAMES,
  SCREEN_NAMES,
  type ScreenData,
  type ScreenName,
  type Viewer,
} from './screens/screen.ts';

export interface Start {
  readonly screen?: ScreenName;
  readonly readOnly?: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Minimum milliseconds between reads, also for screens with a shorter interval. */
  readonly minEveryMs?: number;
}

export class Runtime implements DashboardControl {
  readonly ports: DashboardPorts;
  readonly memory: ScreenData = {
    health: new Map(),
    tests: new Map(),
    drafts: new Map(),
    logStat: undefined,
    follow: true,
    isTagView: false,
  };
  viewer: Viewer;
  screens: Screens;
  #state: State;
  #actionContext: ActionContext;
  readonly poller: Poller;
  readonly minEveryMs: number;
  readonly #listeners = new Set<() => void>();
  #clock: NodeJS.Timeout | undefined;
  #answered: ((answer: DialogAnswer) => void) | undefined;

  constructor(ports: DashboardPorts, start: Start) {
    this.ports = ports;
    this.minEveryMs = start.minEveryMs ?? 0;
    this.#state = firstState(ports, start);
    this.viewer = this.#viewerIn(ports.language);
    this.screens = screensFor(this.viewer, ports.valuesFor(ports.language));
    this.#actionContext = actionContextFor(this);
    this.poller = new Poller(this);
  }

  get state(): State {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Starts polling, until `stop`. */
  start(): void {
    this.#clock = setInterval(() => this.#tick(), 1000);
    this.poller.start();
  }

  stop(): void {
    this.poller.stop();
    clearInterval(this.#clock);
  }

  setLanguage(language: Language): void {
    this.viewer = this.#viewerIn(language);
    this.screens = screensFor(this.viewer, this.ports.valuesFor(language));
    this.#actionContext = actionContextFor(this);
    this.set({});
  }

  // ---- open screen

  /** The open screen and its list; undefined on the dashboard. */
  opened(): { readonly screen: AnyScreen; readonly list: List<AnyRow> } | undefined {
    const { screen } = this.#state;
    return screen === 'dashboard'
      ? undefined
      : { screen: this.screens[screen], list: this.#state.lists[screen] };
  }

  /** Updates the open list. */
  change(change: (list: List<AnyRow>, screen: AnyScreen) => List<AnyRow>): void {
    const open = this.opened();
    if (open === undefined) return;
    const list = change(open.list, open.screen);
    this.#state = withList(this.#state, open.screen.name, list);
    this.set({});
    if (list.wanted > open.list.wanted) this.poller.readNow();
  }

  /** Moves the cursor of a list, or the selected recent error on the dashboard. */
  move(by: number): void {
    if (this.opened() !== undefined) {
      this.change((list) => movedBy(list, by));
      return;
    }
    const last = Math.max(0, (this.#state.dashboard?.errors.length ?? 0) - 1);
    this.set({ errorAt: Math.min(last, Math.max(0, this.#state.errorAt + by)) });
  }

  /** Shows the row's detail or closes it; for an error on the dashboard, shows its log entry. */
  toggleDetail(): void {
    const { screen, dashboard, errorAt, isDetailOpen, reads } = this.#state;
    const rows = this.opened()?.list.shown ?? dashboard?.errors ?? [];
    const error = screen === 'dashboard' ? dashboard?.errors[errorAt] : undefined;
    if (error !== undefined) this.go('logs', `request:${error.request_id}`);
    if (rows.length > 0) this.set({ isDetailOpen: error !== undefined || !isDetailOpen });
    else if (reads[screen].atMs > 0) this.showMessage(this.viewer.t('tui.messages.nothing'), 'dim');
  }

  go(screen: ScreenName, filter?: string): void {
    if (!mayOpen(this.screens, screen, this.viewer.role)) {
      this.showMessage(this.viewer.t('tui.messages.not_allowed'), 'warn');
      return;
    }
    const { screen: before, trail } = this.#state;
    this.set({ screen, trail: before === screen ? trail : [...trail.slice(-20), before] });
    if (filter !== undefined) this.change((list, open) => withFilter(list, open, filter));
    if (before !== screen || filter !== undefined) this.poller.readNow();
  }

  actions(): readonly AnyAction[] {
    const { screen } = this.opened() ?? {};
    if (screen === undefined) return [];
    const { readOnly } = this.#state;
    return screen.actions.filter(
      ({ writes, role = screen.role }) => this.viewer.role >= role && !(readOnly && writes),
    );
  }

  showMessage(text: string, tone: Tone = 'plain'): void {
    this.#state = withMessage(this.#state, { atMs: this.ports.nowMs(), text, tone });
    this.set({});
  }

  // ---- keys

  key(key: string): void {
    const { overlay, prompt } = this.#state;
    const named = key === 'ctrl+d' ? 'delete' : key;
    if (key === 'focus' || key === 'blur') this.#setFocus(key === 'focus');
    else if (key === 'ctrl+c') this.ports.quit('quit');
    else if (key === 'ctrl+z') this.ports.suspend();
    else if (overlay !== undefined) this.#overlayKey(overlay, key);
    else if (prompt !== undefined) promptKey(this, prompt, key);
    else {
      const action = this.actions().find((each) => each.key === named);
      if (action === undefined) globalKey(this, key);
      else this.#act(action);
    }
  }

  #act(action: AnyAction): void {
    const open = this.opened();
    if (open === undefined) return;
    const rows = action.on === 'none' ? [] : selectedRows(open.list, open.screen);
    if (action.on !== 'none' && rows.length === 0) return;
    void this.attempt(async () =>
      action.run(this.#actionContext, action.on === 'row' ? rows.slice(0, 1) : rows),
    );
  }

  /** Reports a failure as a message; never throws. */
  async attempt(run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.showMessage(this.failureText(error), 'bad');
    }
  }

  failureText(thrown: unknown): string {
    const error = asAppError(thrown);
    const { language } = this.viewer;
    // The hint at a wrong argument is the --help of a command.
    return error.code === 'argument_invalid'
      ? errorText(error, language)
      : adviceText(error, language);
  }

  // ---- dialogs

  /** Shows `overlay` and resolves with its answer; polling pauses meanwhile. */
  open(overlay: Overlay): Promise<DialogAnswer> {
    this.#answered?.(undefined);
    this.set({ overlay });
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }

  #overlayKey(overlay: Overlay, key: string): void {
    const next = handleKey(overlay, key, listHeight(this.#state));
    this.set({ overlay: 'overlay' in next ? next.overlay : undefined });
    if (!('answer' in next)) return;
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(next.answer);
    if (this.#state.overlay === undefined) this.poller.readNow();
  }

  /** Updates displayed ages and removes temporary content. */
  #tick(): void {
    const { flash, revealed } = this.#state;
    const nowMs = this.ports.nowMs();
    this.set({
      ...(flash !== undefined && nowMs - flash.atMs >= FLASH_MS && { flash: undefined }),
      ...(revealed !== undefined && nowMs >= revealed.untilMs && { revealed: undefined }),
    });
  }

  #setFocus(isFocused: boolean): void {
    this.set({ isFocused });
    if (isFocused) this.poller.readNow();
  }

  #viewerIn(language: Language): Viewer {
    const { session, site, isOperator, nowMs } = this.ports;
    return {
      t: translator(language),
      language,
      quotaPerUnit: session.quotaPerUnit,
      role: site.role,
      isOperator,
      nowMs,
      memory: this.memory,
      revealed: (id) => {
        const { revealed } = this.#state;
        return revealed?.id === id && nowMs() < revealed.untilMs ? revealed.text : undefined;
      },
    };
  }
}

function firstState(
  ports: DashboardPorts,
  { screen = 'dashboard', readOnly = false, columns, rows }: Start,
): State {
  // One entry per list name, which guarantees the type.
  const lists = Object.fromEntries(
    LIST_NAMES.map((name) => [name, emptyList<AnyRow>()]),
  ) as State['lists'];
  const reads = Object.fromEntries(SCREEN_NAMES.map((name) => [name, UNREAD])) as State['reads'];
  return {
    site: ports.site,
    screen,
    trail: [],
    lists,
    dashboard: undefined,
    errorAt: 0,
    reads,
    overlay: undefined,
    prompt: undefined,
    flash: undefined,
    messages: [],
    isPaused: false,
    isFocused: true,
    isDetailOpen: false,
    paneShare: 42,
    revealed: undefined,
    running: 0,
    filters: [],
    commands: [],
    readOnly,
    columns,
    rows,
  };
}
