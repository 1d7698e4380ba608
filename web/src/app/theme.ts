/** Mantine's theme: one accent, calm greys, system fonts. Page and badge colours are in base.css. */
import { type CSSVariablesResolver, createTheme, rem } from '@mantine/core';

const CHINESE_FACES = '"PingFang SC", "Microsoft YaHei", "Noto Sans SC"';
const SANS = `Inter, system-ui, -apple-system, "Segoe UI", Roboto, ${CHINESE_FACES}, sans-serif`;
const MONO = `ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", ${CHINESE_FACES}, monospace`;

const heading = (size: number) => ({ fontSize: rem(size), lineHeight: '1.35' });

export const theme = createTheme({
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(20) },
  lineHeights: { xs: '1.35', sm: '1.35', md: '1.5', lg: '1.5', xl: '1.5' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: heading(20),
      h2: heading(16),
      h3: heading(14),
      h4: heading(14),
      h5: heading(13),
      h6: heading(12),
    },
  },
  spacing: { xs: rem(8), sm: rem(12), md: rem(16), lg: rem(24), xl: rem(32) },
  radius: { xs: rem(4), sm: rem(6), md: rem(8), lg: rem(12), xl: rem(999) },
  defaultRadius: 'sm',
  // `xs` is the phone of lib/screen.ts.
  breakpoints: { xs: '37.5em', sm: '48em', md: '64em', lg: '80em', xl: '100em' },
  colors: {
    iris: [
      '#F0F1FE',
      '#DFE1FD',
      '#C3C6FC',
      '#A3A8FA',
      '#8F95F7',
      '#757BEC',
      '#5F65E0',
      '#5157D6',
      '#4348B8',
      '#262A4D',
    ],
    // From text (0) to the ground of cards (6) and below: Mantine paints its dark scheme with these.
    dark: [
      '#E4E7ED',
      '#C3C9D4',
      '#9BA3B2',
      '#8A92A2',
      '#3A4150',
      '#222836',
      '#1A1F29',
      '#161A23',
      '#12151C',
      '#0C0E13',
    ],
  },
  primaryColor: 'iris',
  primaryShade: { light: 7, dark: 6 },
  black: '#1C212A',
  respectReducedMotion: true,
  cursorType: 'pointer',
});

/** Mantine's `body` is the ground of cards and layers here; the page behind them is `--page`. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#FFFFFF',
    '--mantine-color-text': '#1C212A',
    '--mantine-color-dimmed': '#5B6472',
    '--mantine-color-placeholder': '#6E7785',
    '--mantine-color-default-border': '#DDE1E8',
    '--mantine-color-default-hover': '#F0F2F5',
    '--mantine-color-anchor': '#4348B8',
    '--mantine-color-error': '#C92A3C',
  },
  dark: {
    '--mantine-color-body': '#1A1F29',
    '--mantine-color-default': '#222836',
    '--mantine-color-default-border': '#2A303C',
    '--mantine-color-default-hover': '#2A303C',
    '--mantine-color-anchor': '#A3A8FA',
    '--mantine-color-error': '#FF9AA6',
  },
});
