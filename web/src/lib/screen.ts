import { useMediaQuery } from '@mantine/hooks';

/** The console's only question about screen width: below 600 px it is a phone. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 599.98px)', false, { getInitialValueInEffect: false });
}
