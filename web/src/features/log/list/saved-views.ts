/** Named filters of the user, stored in this browser. */
import { isObject, parseJson } from '../../../../../src/json/read-json.ts';

export interface SavedView {
  readonly name: string;
  /** The page's query string, without page number and open record. */
  readonly query: string;
}

const MOST = 20;

export function parseViews(text: string): readonly SavedView[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value.filter(isView).slice(0, MOST) : [];
}

/** Names are unique: saving one again replaces the old view. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].slice(-MOST);
}

export function withoutView(views: readonly SavedView[], name: string): readonly SavedView[] {
  return views.filter((view) => view.name !== name);
}

/** The part of the URL a view stores. */
export function viewQuery(query: URLSearchParams): string {
  const kept = new URLSearchParams(query);
  kept.delete('page');
  kept.delete('id');
  return kept.toString();
}

function isView(value: unknown): value is SavedView {
  if (!isObject(value)) return false;
  const { name, query } = value;
  return typeof name === 'string' && name !== '' && typeof query === 'string';
}
