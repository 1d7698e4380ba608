/** The single menu shared by all rows of all tables: its button and items. */
import { createStore, useStore } from '../../lib/store.ts';
import type { RowAction } from './columns.ts';

export interface OpenRowMenu {
  readonly button: HTMLElement;
  readonly actions: readonly RowAction[];
}

const menu = createStore<OpenRowMenu | undefined>(undefined);
let pressed: HTMLElement | undefined;

/**
 * Records a press on a row's button. A press outside the open menu closes it before the click, and
 * that click must not open it again.
 */
export function recordPress(button: HTMLElement): void {
  pressed = menu.get()?.button === button ? button : undefined;
}

/** Opens the menu below a mounted row button, unless the same press closed it. */
export function openRowMenu(button: HTMLElement, actions: readonly RowAction[]): void {
  const hasClosed = pressed === button;
  pressed = undefined;
  if (!hasClosed) setMenu({ button, actions });
}

export function closeRowMenu(): void {
  setMenu(undefined);
}

/** undefined while closed. */
export function useRowMenu(): OpenRowMenu | undefined {
  return useStore(menu);
}

/** Sets the buttons' attributes directly, because a subscription per button would cost more. */
function setMenu(next: OpenRowMenu | undefined): void {
  menu.get()?.button.setAttribute('aria-expanded', 'false');
  next?.button.setAttribute('aria-expanded', 'true');
  menu.set(next);
}
