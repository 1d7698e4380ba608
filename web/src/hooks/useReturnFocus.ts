import { useEffect, useState } from 'react';

/**
 * For a layer that is mounted open and unmounted to close it: the focus returns to where it was.
 * Mantine returns it only if `opened` changes.
 */
export function useReturnFocus(): void {
  const [origin] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // When the layer has left the page, unless something else took the focus.
      setTimeout(() => {
        if (document.activeElement === document.body && origin instanceof HTMLElement)
          origin.focus({ preventScroll: true });
      });
    },
    [origin],
  );
}
