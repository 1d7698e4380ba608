import {
  localStorageColorSchemeManager,
  MantineProvider,
  mergeThemeOverrides,
} from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import i18next from 'i18next';
import { type ReactNode, StrictMode, useMemo, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { RouterProvider } from 'react-router-dom';
import { RowMenu } from '../components/data-table/RowMenu.tsx';
import '../components/layout/impact-question.ts';
import '../components/identity/owner-proof.tsx';
import { HintLayer } from '../components/layout/HintLayer.tsx';
import { Prompts } from '../components/layout/prompt.tsx';
import { createQueryClient } from '../lib/api/query-client.ts';
import { STORED, useStored } from '../lib/browser/stored.ts';
import { ClockContext, DisplaySettingsContext } from '../lib/display/display-settings.ts';
import { privacy } from '../lib/display/privacy.ts';
import { useIsPhone } from '../lib/display/screen.ts';
import { signInPath } from '../lib/session/return-to.ts';
import { onExpired } from '../lib/session/session.ts';
import { useStore } from '../lib/store.ts';
import { createRouter } from './routing/router.tsx';
import { buttonLabels, cssVariables, theme } from './theme.ts';

const colourScheme = localStorageColorSchemeManager({ key: STORED.colourScheme.key });
const queryClient = createQueryClient();
const router = createRouter();

// Clear everything the expired session could see, and return the user here after sign-in.
onExpired(() => {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'status' });
  const { pathname, search } = router.state.location;
  if (pathname !== '/login') void router.navigate(signInPath(pathname + search, 'expired'));
});

export function App() {
  const { t } = useTranslation();
  const labelledTheme = useMemo(() => mergeThemeOverrides(theme, buttonLabels(t)), [t]);
  return (
    <StrictMode>
      <MantineProvider
        theme={labelledTheme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={colourScheme}
        defaultColorScheme="auto"
      >
        <QueryClientProvider client={queryClient}>
          <DisplaySettingsProvider>
            <RouterProvider router={router} />
            <Toasts />
            <Prompts />
            <HintLayer />
            <RowMenu />
          </DisplaySettingsProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
}

const MAX_TOASTS = 4;

function Toasts() {
  const isPhone = useIsPhone();
  return (
    <Notifications
      position={isPhone ? 'top-center' : 'bottom-right'}
      limit={MAX_TOASTS}
      zIndex={500}
    />
  );
}

/** Mounted once, around the whole app. */
function DisplaySettingsProvider({ children }: { readonly children: ReactNode }) {
  const language = useSyncExternalStore(onLanguage, () => i18next.language);
  const isPrivate = useStore(privacy);
  const [quotaPerUnit] = useStored(STORED.quotaPerUnit);
  const [currency] = useStored(STORED.displayInCurrency);
  const nowSec = useSyncExternalStore(onStep, steppedNowSec);
  const displaySettings = useMemo(
    () => ({ language, isPrivate, quotaStyle: { quotaPerUnit, currency } }),
    [language, isPrivate, quotaPerUnit, currency],
  );
  return (
    <DisplaySettingsContext value={displaySettings}>
      <ClockContext value={nowSec}>{children}</ClockContext>
    </DisplaySettingsContext>
  );
}

function onLanguage(listener: () => void): () => void {
  i18next.on('languageChanged', listener);
  return () => i18next.off('languageChanged', listener);
}

const STEP_SEC = 30;

function onStep(listener: () => void): () => void {
  const timer = setInterval(listener, STEP_SEC * 1000);
  return () => clearInterval(timer);
}

function steppedNowSec(): number {
  return Math.floor(Date.now() / 1000 / STEP_SEC) * STEP_SEC;
}
