/** Polls the data of the open screen while the terminal has the focus. */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, asAppError } from '../domain/errors/errors.ts';
import type { DashboardControl } from './dashboard-control.ts';
import { windowOf, withRows } from './model/list.ts';
import { nextDelayMs } from './model/poll.ts';
import { listHeight, UNREAD, withList } from './model/state.ts';
import { LoadedPages, queryOf } from './row-pages.ts';
import { DASHBOARD_EVERY_MS } from './screens/all.ts';
import { readDashboard } from './screens/dashboard.ts';
import type { ListName, ScreenName } from './screens/screen.ts';

/** A server that does not respond within this time counts as unreachable. */
const SILENT_MS = 20_000;

export class Poller {
  readonly #runtime: DashboardControl;
  readonly #pages = new Map<ListName, LoadedPages>();
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isReadAgain = false;
  #isOver = false;

  constructor(runtime: DashboardControl) {
    this.#runtime = runtime;
  }

  /** Reads now instead of at the next tick; if a read is running, reads once more after it. */
  readNow(): void {
    clearTimeout(this.#timer);
    if (this.#isReading) this.#isReadAgain = true;
    else void this.#read();
  }

  /** Reads after a time, or after the read that is running. */
  readAfter(ms: number): void {
    if (this.#isReading) this.#isReadAgain = true;
    else {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.readNow(), ms);
    }
  }

  /** Reads the whole screen again, not only new rows. @throws what the read throws. */
  async readOnce(): Promise<void> {
    await this.#readScreen(this.#runtime.state.screen, false);
  }

  start(): void {
    this.#isOver = false;
    this.readNow();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Milliseconds between reads of the open screen. */
  everyMs(): number {
    const { screen } = this.#runtime.opened() ?? {};
    return Math.max(this.#runtime.minEveryMs, screen?.everyMs ?? DASHBOARD_EVERY_MS);
  }

  /** Pauses polling while the result is not visible or would move content under a dialog. */
  #isHeld(): boolean {
    const { overlay, isPaused, isFocused } = this.#runtime.state;
    return this.#isOver || overlay !== undefined || isPaused || !isFocused;
  }

  async #read(): Promise<void> {
    if (this.#isHeld()) return;
    this.#isReading = true;
    const { screen } = this.#runtime.state;
    const retryAfterSec = await this.#tryToRead(screen);
    this.#isReading = false;
    const isLate = this.#isReadAgain || screen !== this.#runtime.state.screen;
    this.#isReadAgain = false;
    if (this.#isOver) return;
    const { failures } = this.#runtime.state.reads[screen];
    const delayMs = isLate ? 0 : nextDelayMs(this.everyMs(), failures, retryAfterSec);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#read(), delayMs);
  }

  /** Returns the server's Retry-After in seconds, 0 without one. */
  async #tryToRead(screen: ScreenName): Promise<number> {
    const stop = new AbortController();
    try {
      const { signal } = stop;
      const silence = pause(SILENT_MS, undefined, { signal, ref: false }).then(() => {
        throw new AppError('server_unreachable', { url: this.#runtime.state.site.location });
      });
      silence.catch(() => undefined);
      await Promise.race([this.#readScreen(screen, true), silence]);
      return 0;
    } catch (error) {
      this.#noteFailure(screen, this.#runtime.failureText(error));
      return asAppError(error).retryAfterSec ?? 0;
    } finally {
      stop.abort();
    }
  }

  async #readScreen(name: ScreenName, onlyNew: boolean): Promise<void> {
    const { ports, viewer, state } = this.#runtime;
    if (name === 'dashboard') {
      const { role, isOperator } = viewer;
      const before = state.dashboard;
      const { api } = ports.session;
      const dashboard = await readDashboard(api, role, isOperator, before, ports.nowMs());
      this.#runtime.set({ dashboard });
    } else {
      await this.#readList(name, onlyNew);
    }
    const { reads } = this.#runtime.state;
    this.#runtime.set({ reads: { ...reads, [name]: { ...UNREAD, atMs: ports.nowMs() } } });
  }

  async #readList(name: ListName, onlyNew: boolean): Promise<void> {
    const runtime = this.#runtime;
    const { api } = runtime.ports.session;
    const screen = runtime.screens[name];
    const list = runtime.state.lists[name];
    const pages = this.#pages.get(name) ?? new LoadedPages();
    this.#pages.set(name, pages);
    const visible = windowOf(list, listHeight(runtime.state)).rows;
    const follows = name !== 'logs' || runtime.memory.follow;
    const read = await pages.read(api, screen, list, visible, { onlyNew, follows });
    // The list may have changed during the read, so the rows are merged into its current state.
    const now = withRows(runtime.state.lists[name], screen, read.rows, read.total);
    runtime.set(withList(runtime.state, name, now));
    const shown = windowOf(now, listHeight(runtime.state)).rows;
    await screen.readExtras?.(api, shown, queryOf(screen, now.filter));
  }

  /** Reports an error once, not at every retry. */
  #noteFailure(screen: ScreenName, error: string): void {
    const { state, ports } = this.#runtime;
    const before = state.reads[screen];
    const failingSinceMs = before.failures === 0 ? ports.nowMs() : before.failingSinceMs;
    const read = { ...before, failures: before.failures + 1, failingSinceMs, error };
    this.#runtime.set({ reads: { ...state.reads, [screen]: read } });
    if (before.error !== error) this.#runtime.showMessage(error, 'bad');
  }
}
