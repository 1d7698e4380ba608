import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

/** The current colour scheme, and a function that toggles it. */
export function useTheme(): { readonly isDark: boolean; toggle(): void } {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark';
  return { isDark, toggle: () => setColorScheme(isDark ? 'light' : 'dark') };
}
