import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { RouterProvider } from 'react-router-dom';
import { RowMenu } from '../components/data-table/RowMenu.tsx';
import { CopyByHandDialog } from '../components/display/copy.tsx';
import { OwnerDialog } from '../components/identity/owner-proof.tsx';
import { ConfirmDialog } from '../components/layout/confirm.tsx';
import { HintLayer } from '../components/layout/HintLayer.tsx';
import { createQueryClient } from '../lib/api/query-client.ts';
import { STORED } from '../lib/browser/stored.ts';
import { useIsPhone } from '../lib/display/screen.ts';
import { signInPlace } from '../lib/session/return-to.ts';
import { onExpired } from '../lib/session/session.ts';
import { createRouter } from './routing/router.tsx';
import { SurroundingsProvider } from './SurroundingsProvider.tsx';
import { cssVariables, theme } from './theme.ts';

const colourScheme = localStorageColorSchemeManager({ key: STORED.colourScheme.key });
const queryClient = createQueryClient();
const router = createRouter();

// Clear everything the expired session could see, and return the user here after sign-in.
onExpired(() => {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'status' });
  const { pathname, search } = router.state.location;
  if (pathname !== '/login') void router.navigate(signInPlace(pathname + search, 'expired'));
});

export function App() {
  return (
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={colourScheme}
        defaultColorScheme="auto"
      >
        <QueryClientProvider client={queryClient}>
          <SurroundingsProvider>
            <RouterProvider router={router} />
            <Toasts />
            <ConfirmDialog />
            <OwnerDialog />
            <CopyByHandDialog />
            <HintLayer />
            <RowMenu />
          </SurroundingsProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
}

const MOST_TOASTS = 4;

function Toasts() {
  const isPhone = useIsPhone();
  return (
    <Notifications
      position={isPhone ? 'top-center' : 'bottom-right'}
      limit={MOST_TOASTS}
      zIndex={500}
    />
  );
}
