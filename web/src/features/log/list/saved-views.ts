/** Filters that a reader gave a name, kept in this browser. */

export interface SavedView {
  readonly name: string;
  /** The query string of the page, without its page and open record. */
  readonly query: string;
}

const MOST = 20;

export function parseViews(text: string): readonly SavedView[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isView).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** A name stands for one view: saving it again replaces the old one. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].slice(-MOST);
}

export function withoutView(views: readonly SavedView[], name: string): readonly SavedView[] {
  return views.filter((view) => view.name !== name);
}

/** What of the address a view keeps. */
export function viewQuery(query: URLSearchParams): string {
  const kept = new URLSearchParams(query);
  kept.delete('page');
  kept.delete('id');
  return kept.toString();
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { name, query } = value as Partial<Record<keyof SavedView, unknown>>; // checked next
  return typeof name === 'string' && name !== '' && typeof query === 'string';
}
