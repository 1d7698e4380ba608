/** Popovers above a drawer: while one is open, Escape closes it and not the drawer below. */
import { useEffect } from 'react';
import { createStore, useStore } from '../../lib/store.ts';

const openCount = createStore(0);

/** Registers an open popover. */
export function usePopupLayer(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    openCount.set(openCount.get() + 1);
    return () => openCount.set(openCount.get() - 1);
  }, [isOpen]);
}

/** Whether any popover is open, for layers that also close on Escape. */
export function useHasPopup(): boolean {
  return useStore(openCount) > 0;
}
