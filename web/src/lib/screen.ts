import { useMediaQuery } from '@mantine/hooks';

/** Below 600 px the console is laid out for a phone. */
export function useIsPhone(): boolean {
  return useWidth('(max-width: 599.98px)');
}

/** Room for every column of the widest table beside the open side menu. */
export function useIsWide(): boolean {
  return useWidth('(min-width: 1680px)');
}

function useWidth(query: string): boolean {
  return useMediaQuery(query, false, { getInitialValueInEffect: false });
}
