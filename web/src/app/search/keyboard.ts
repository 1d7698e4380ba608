/** Keys that work all over the console: `g t` jumps, `/` searches, `r` reads again, `?` lists them. */
import { NAVIGATION } from '../routing/navigation.ts';

export type KeyAction =
  | { readonly kind: 'jump'; readonly path: string }
  | { readonly kind: 'page-search' | 'refresh' | 'list' };

export interface Key {
  readonly key: string;
  readonly at: number;
  /** Ctrl, Alt or Meta is down: then the browser or the search means it. */
  readonly isCombined: boolean;
}

/** The second key of a jump follows within this time. */
const PAUSE_MS = 1_200;

const SINGLE: Readonly<Record<string, 'page-search' | 'refresh' | 'list'>> = {
  '/': 'page-search',
  r: 'refresh',
  '?': 'list',
};

/** What a key means after the one before it. */
export function keyAction(pressed: Key, before: Key | undefined): KeyAction | undefined {
  if (pressed.isCombined) return undefined;
  if (before?.key === 'g' && pressed.at - before.at < PAUSE_MS) {
    const item = NAVIGATION.flatMap(({ items }) => items).find(({ jump }) => jump === pressed.key);
    if (item) return { kind: 'jump', path: item.path };
  }
  const kind = SINGLE[pressed.key];
  return kind && { kind };
}

const LAYERS = '[role="dialog"], [role="menu"], [role="listbox"]';

/** Inputs that take no text: a box that is ticked, a select that is only opened. */
const WITHOUT_TEXT = /^(button|checkbox|color|file|radio|range|reset|submit)$/;

/** While the user types, or a layer is open, single keys belong to it. */
export function isKeyFree(target: EventTarget | null): boolean {
  // Closed selects and menus stay in the page, hidden.
  const layers = [...document.querySelectorAll(LAYERS)];
  return !layers.some((layer) => layer.checkVisibility()) && !takesText(target);
}

function takesText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement)
    return !target.readOnly && !WITHOUT_TEXT.test(target.type);
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}
