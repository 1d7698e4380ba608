/** Reads only the pages a screen needs, as a server allows a client one call per second. */
import type { LocalApi } from '../session/session.ts';
import { parseFilter, splitFilter } from './model/filter.ts';
import { type List, MAX_ROWS, PAGE_ROWS, type RowId } from './model/list.ts';
import type { AnyRow, AnyScreen } from './screens/screen.ts';

/** Maximum number of pages per read; the rest follows with the next read. */
const PAGES_AT_ONCE = 10;

export interface LoadedRows {
  readonly rows: readonly AnyRow[];
  readonly total: number;
}

/** The loaded pages of a list for one query. */
export class LoadedPages {
  readonly #pages = new Map<number, readonly AnyRow[]>();
  #query = '';
  #total = 0;

  /**
   * Updates the visible rows and loads missing ones.
   * @param visible rows on the screen
   * @param how `onlyNew` false reads known pages again, even if reading only new rows is possible;
   * `follows` false reads no new rows, only older ones that are wanted
   */
  async read(
    api: LocalApi,
    screen: AnyScreen,
    list: List<AnyRow>,
    visible: readonly AnyRow[],
    { onlyNew, follows }: { readonly onlyNew: boolean; readonly follows: boolean },
  ): Promise<LoadedRows> {
    const query = queryOf(screen, list.filter);
    const queryKey = JSON.stringify(query);
    if (queryKey !== this.#query) {
      this.#query = queryKey;
      this.#pages.clear();
      this.#total = 0;
    }
    if (screen.readNewer !== undefined && this.#pages.size > 0 && onlyNew)
      return this.#readNewer(api, screen, list, query, follows);
    for (const p of this.#needed(screen, list, visible)) {
      const page = await screen.read(api, { p, page_size: PAGE_ROWS }, query);
      // The query changed during the read, so these rows are obsolete.
      if (this.#query !== queryKey) break;
      this.#pages.set(p, page.items);
      this.#total = page.total;
    }
    return this.#all(screen);
  }

  #needed(screen: AnyScreen, list: List<AnyRow>, visible: readonly AnyRow[]): readonly number[] {
    if (this.#pages.size === 0) return [1];
    const last = Math.ceil(Math.min(list.wanted, this.#total) / PAGE_ROWS);
    for (const p of this.#pages.keys()) {
      if (p > 1 && p > Math.ceil(this.#total / PAGE_ROWS)) this.#pages.delete(p);
    }
    const ids = new Set(visible.map((row) => screen.id(row)));
    const shown = [...this.#pages]
      .filter(([, rows]) => rows.some((row) => ids.has(screen.id(row))))
      .map(([p]) => p);
    const all = Array.from({ length: Math.max(1, last) }, (_, index) => index + 1);
    const missing = all.filter((p) => !this.#pages.has(p));
    const needed = [...new Set([...shown, ...missing])];
    return needed.length === 0 ? [1] : needed.slice(0, PAGES_AT_ONCE);
  }

  /** Page 1 collects all loaded and new rows; older rows are loaded when the cursor gets there. */
  async #readNewer(
    api: LocalApi,
    screen: AnyScreen,
    list: List<AnyRow>,
    query: object,
    follows: boolean,
  ): Promise<LoadedRows> {
    const { rows } = this.#all(screen);
    const queryKey = this.#query;
    const fresh = follows ? ((await screen.readNewer?.(api, rows, query)) ?? []) : [];
    if (this.#query !== queryKey) return this.#all(screen);
    const isWhole = rows.length >= this.#total;
    this.#total += fresh.length;
    const merged = [...fresh, ...rows].sort(screen.compare);
    // Below the last loaded row, they belong to pages that are not loaded.
    const end = isWhole ? merged.length : merged.findLastIndex((row) => rows.includes(row)) + 1;
    const known = merged.slice(0, Math.min(end, MAX_ROWS));
    this.#pages.clear();
    this.#pages.set(1, known);
    if (known.length < Math.min(list.wanted, this.#total)) {
      // New rows shift the pages, so the page of the first unknown row may begin with known ones.
      const p = Math.floor(known.length / PAGE_ROWS) + 1;
      const page = await screen.read(api, { p, page_size: PAGE_ROWS }, query);
      this.#pages.set(2, page.items);
      this.#total = page.total;
    }
    return this.#all(screen);
  }

  #all(screen: AnyScreen): LoadedRows {
    const byId = new Map<RowId, AnyRow>();
    const pages = [...this.#pages].sort(([a], [b]) => a - b);
    for (const [, rows] of pages) {
      for (const row of rows) if (!byId.has(screen.id(row))) byId.set(screen.id(row), row);
    }
    return { rows: [...byId.values()], total: Math.max(this.#total, byId.size) };
  }
}

/** The part of a list's filter that the server evaluates. */
export function queryOf(screen: AnyScreen, filter: string): object {
  return splitFilter(parseFilter(filter), screen.filters).query;
}
