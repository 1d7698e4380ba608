/** Global keyboard shortcuts: `g t` jumps, `/` searches, `r` refreshes, `?` lists the shortcuts. */
import { NAVIGATION } from '../routing/navigation.ts';

export type KeyAction =
  | { readonly kind: 'jump'; readonly path: string }
  | { readonly kind: 'page-search' | 'refresh' | 'list' };

export interface KeyPress {
  readonly key: string;
  readonly at: number;
  /** Ctrl, Alt or Meta is down, so the key belongs to the browser or the search. */
  readonly isCombined: boolean;
}

/** Maximum delay before the second key of a jump. */
const PAUSE_MS = 1_200;

const SINGLE: Readonly<Record<string, 'page-search' | 'refresh' | 'list'>> = {
  '/': 'page-search',
  r: 'refresh',
  '?': 'list',
};

/** The action of a key, given the previous key. */
export function keyAction(pressed: KeyPress, before: KeyPress | undefined): KeyAction | undefined {
  if (pressed.isCombined) return undefined;
  if (before?.key === 'g' && pressed.at - before.at < PAUSE_MS) {
    const item = NAVIGATION.flatMap(({ items }) => items).find(({ jump }) => jump === pressed.key);
    if (item) return { kind: 'jump', path: item.path };
  }
  const kind = SINGLE[pressed.key];
  return kind && { kind };
}

const LAYERS = '[role="dialog"], [role="menu"], [role="listbox"]';

/** Inputs without text entry, such as checkboxes and buttons. */
const WITHOUT_TEXT = /^(button|checkbox|color|file|radio|range|reset|submit)$/;

/** False while the user types or a dialog is open: single-key shortcuts are then off. */
export function isKeyFree(target: EventTarget | null): boolean {
  // Closed selects and menus stay in the document, hidden.
  const layers = [...document.querySelectorAll(LAYERS)];
  return !layers.some((layer) => layer.checkVisibility()) && !takesText(target);
}

function takesText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement)
    return !target.readOnly && !WITHOUT_TEXT.test(target.type);
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}
