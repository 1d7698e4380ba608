import { useMediaQuery } from '@mantine/hooks';
import { useSyncExternalStore } from 'react';

/** Below 600 px the console is laid out for a phone. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 599.98px)', false, { getInitialValueInEffect: false });
}

/** Known before the page is put on paper, which waits for no effect. */
export function useIsPrinted(): boolean {
  return useSyncExternalStore(onPaper, () => window.matchMedia('print').matches);
}

function onPaper(listener: () => void): () => void {
  const paper = window.matchMedia('print');
  paper.addEventListener('change', listener);
  return () => paper.removeEventListener('change', listener);
}
