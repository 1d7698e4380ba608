/** Mantine's theme: one accent, calm greys, system fonts. Page and badge colours: base.css. */
import {
  ActionIcon,
  Badge,
  Button,
  Card,
  type CSSVariablesResolver,
  colorsTuple,
  createTheme,
  Drawer,
  Group,
  Input,
  type MantineThemeOverride,
  Menu,
  Modal,
  Popover,
  rem,
  Text,
  Tooltip,
} from '@mantine/core';
import type { TFunction } from 'i18next';
import type { MouseEvent } from 'react';

const CHINESE_FACES = '"PingFang SC", "Microsoft YaHei", "Noto Sans SC"';
const SANS = `Inter, system-ui, -apple-system, "Segoe UI", Roboto, ${CHINESE_FACES}, sans-serif`;
const MONO = `ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", ${CHINESE_FACES}, monospace`;

const heading = (size: number) => ({ fontSize: rem(size), lineHeight: '1.35' });

/** The element that contains open menus, lists and hints. */
export const LAYERS_ID = 'layers';
const LAYERS = { target: `#${LAYERS_ID}` };

const LAYER_TITLE = { fontSize: rem(16), fontWeight: 600 };

/** Browsers report no change if the file of an earlier choice is chosen again. */
function forgetFile({ currentTarget: input }: MouseEvent<HTMLInputElement>): void {
  input.value = '';
}

/** Controls of the default size follow `--control` of base.css: 32 px, 36 px on touch screens. */
function controlHeight<N extends string>(name: N, size: unknown): Partial<Record<N, string>> {
  const height: Partial<Record<string, string>> = {};
  if (size === 'sm') height[name] = 'var(--control)';
  return height;
}

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
  // `xs` is the phone breakpoint of lib/display/screen.ts.
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
    danger: colorsTuple('#C92A3C'),
    success: colorsTuple('#1B7F4B'),
    // From text (0) to card background (6) and darker: the scale of Mantine's dark scheme.
    dark: [
      '#E4E7ED',
      '#C3C9D4',
      '#9BA3B2',
      '#8A92A2',
      '#2A303C',
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
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Badge: Badge.extend({ defaultProps: { tt: 'none', fw: 500, radius: 'xl' } }),
    Button: Button.extend({
      defaultProps: { size: 'sm', fw: 500 },
      vars: (_theme, { size }) => ({ root: controlHeight('--button-height', size) }),
    }),
    Card: Card.extend({ defaultProps: { withBorder: true, radius: 'md', padding: 'md' } }),
    Drawer: Drawer.extend({
      defaultProps: { position: 'right', overlayProps: { opacity: 0.35 } },
      styles: { title: LAYER_TITLE },
    }),
    // Mantine renders them as `header`, which would give the page a second banner landmark per
    // dialog.
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    ModalHeader: { defaultProps: { role: 'presentation' } },
    FileButton: { defaultProps: { inputProps: { onClick: forgetFile } } },
    Group: Group.extend({ defaultProps: { gap: 'xs' } }),
    Input: Input.extend({
      defaultProps: { size: 'sm' },
      vars: (_theme, { size }) => ({ wrapper: controlHeight('--input-height', size) }),
    }),
    Menu: Menu.extend({
      defaultProps: {
        shadow: 'md',
        position: 'bottom-end',
        radius: 'md',
        // Focus starts at the first item, as menus expect; a menu may not contain the placeholder.
        withInitialFocusPlaceholder: false,
      },
    }),
    Modal: Modal.extend({
      defaultProps: { centered: true, radius: 'md' },
      styles: { title: LAYER_TITLE },
    }),
    // Named only, because importing these inputs would load them with the first page.
    NumberInput: { defaultProps: { allowDecimal: false } },
    PasswordInput: { defaultProps: { autoComplete: 'new-password' } },
    // Menus, lists and hints open inside the page's main landmark (`ShellPage`): text outside of
    // landmarks is skipped by those who move from one to the next.
    Popover: Popover.extend({ defaultProps: { portalProps: LAYERS } }),
    Select: { defaultProps: { allowDeselect: false } },
    // `Anchor` is a text too.
    Text: Text.extend({ defaultProps: { size: 'sm' } }),
    Textarea: { defaultProps: { autosize: true } },
    Tooltip: Tooltip.extend({
      defaultProps: { openDelay: 300, withArrow: false, multiline: true, portalProps: LAYERS },
    }),
  },
});

/** Mantine's `body` is the background of cards and dialogs; the page background is `--page`. */
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
    // The outline of inputs, checkboxes and switches: contrast 3:1 on the card.
    '--mantine-color-gray-4': '#868F9D',
  },
  dark: {
    '--mantine-color-body': '#1A1F29',
    '--mantine-color-default': '#222836',
    '--mantine-color-default-border': '#2A303C',
    '--mantine-color-default-hover': '#2A303C',
    // On a card, a disabled button keeps its shape.
    '--mantine-color-disabled': '#222836',
    '--mantine-color-anchor': '#A3A8FA',
    '--mantine-color-error': '#FF9AA6',
    '--mantine-color-iris-light': '#262A4D',
    '--mantine-color-iris-light-hover': '#2F3460',
    // The red of filled buttons is too dark for text here.
    '--mantine-color-danger-text': '#FF9AA6',
    '--mantine-color-danger-light-color': '#FF9AA6',
    '--mantine-color-danger-outline': '#FF9AA6',
  },
});

/** Screen reader labels of the buttons inside Mantine's components. */
export function buttonLabels(t: TFunction): MantineThemeOverride {
  const closeButtonProps = { 'aria-label': t('action.close') };
  return {
    components: {
      Modal: { defaultProps: { closeButtonProps } },
      Drawer: { defaultProps: { closeButtonProps } },
      PasswordInput: {
        defaultProps: {
          visibilityToggleButtonProps: { 'aria-label': t('part.password.reveal') },
        },
      },
    },
  };
}
