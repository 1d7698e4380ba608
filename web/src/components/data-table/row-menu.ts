/** The single menu shared by all rows of all tables: its button and items. */
import { useSyncExternalStore } from 'react';
import type { RowAction } from './columns.ts';

export interface OpenRowMenu {
  readonly button: HTMLElement;
  readonly actions: readonly RowAction[];
}

let open: OpenRowMenu | undefined;
let pressed: HTMLElement | undefined;
const listeners = new Set<() => void>();

/**
 * Records a press on a row's button. A press outside the open menu closes it before the click, and
 * that click must not open it again.
 */
export function beginPress(button: HTMLElement): void {
  pressed = open?.button === button ? button : undefined;
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
  return useSyncExternalStore(listen, () => open);
}

/** Sets the buttons' attributes directly, because a subscription per button would cost more. */
function setMenu(next: OpenRowMenu | undefined): void {
  open?.button.setAttribute('aria-expanded', 'false');
  next?.button.setAttribute('aria-expanded', 'true');
  open = next;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
