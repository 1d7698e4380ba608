import { useMediaQuery } from '@mantine/hooks';
import { useSyncExternalStore } from 'react';

/** Below 600 px the console uses its phone layout. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 599.98px)', false, { getInitialValueInEffect: false });
}

/** Where filters beside a table leave it too little room, and those of the log take two lines. */
export function useIsNarrow(): boolean {
  return useMediaQuery('(max-width: 1199.98px)', false, { getInitialValueInEffect: false });
}

/** Updated synchronously, because printing does not wait for effects. */
export function useIsPrinted(): boolean {
  return useSyncExternalStore(onPaper, () => window.matchMedia('print').matches);
}

function onPaper(listener: () => void): () => void {
  const paper = window.matchMedia('print');
  paper.addEventListener('change', listener);
  return () => paper.removeEventListener('change', listener);
}
