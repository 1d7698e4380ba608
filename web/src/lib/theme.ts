import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

/** Light or dark, as it is drawn now, and the way to the other. */
export function useTheme(): { readonly isDark: boolean; toggle(): void } {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark';
  return { isDark, toggle: () => setColorScheme(isDark ? 'light' : 'dark') };
}
