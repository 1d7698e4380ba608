/** Popovers above a drawer: while one is open, Escape closes it and not the drawer below. */
import { useEffect, useSyncExternalStore } from 'react';

let open = 0;
const listeners = new Set<() => void>();

function count(change: 1 | -1): void {
  open += change;
  for (const listener of listeners) listener();
}

/** Registers an open popover. */
export function usePopupLayer(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    count(1);
    return () => count(-1);
  }, [isOpen]);
}

/** Whether any popover is open, for layers that also close on Escape. */
export function useHasPopup(): boolean {
  return useSyncExternalStore(subscribe, () => open > 0);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
