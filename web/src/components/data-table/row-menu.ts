/** The one menu that all rows of all tables share: whose it is now, and what it offers. */
import { useSyncExternalStore } from 'react';
import type { RowAction } from './columns.ts';

export interface OpenMenu {
  readonly button: HTMLElement;
  readonly actions: readonly RowAction[];
}

let open: OpenMenu | undefined;
let pressed: HTMLElement | undefined;
const listeners = new Set<() => void>();

/**
 * A press on a row's button begins. One outside of the open menu closes it before it is a click, and
 * that click must not open it again.
 */
export function beginPress(button: HTMLElement): void {
  pressed = open?.button === button ? button : undefined;
}

/** Opens it below a row's button, which must stand in the page; the press that closed it does not. */
export function openRowMenu(button: HTMLElement, actions: readonly RowAction[]): void {
  const hasClosed = pressed === button;
  pressed = undefined;
  if (!hasClosed) tell({ button, actions });
}

export function closeRowMenu(): void {
  tell(undefined);
}

/** undefined while it is closed. */
export function useRowMenu(): OpenMenu | undefined {
  return useSyncExternalStore(listen, () => open);
}

/** The buttons are told as they stand: each of a hundred asking for itself would cost more than they do. */
function tell(next: OpenMenu | undefined): void {
  open?.button.setAttribute('aria-expanded', 'false');
  next?.button.setAttribute('aria-expanded', 'true');
  open = next;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
