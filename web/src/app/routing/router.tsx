/** The router of all screens. A screen's code and texts are loaded when it is first opened. */
import type { ComponentType, ReactNode } from 'react';
import {
  createBrowserRouter,
  matchPath,
  Navigate,
  type RouteObject,
  useLocation,
} from 'react-router-dom';
import { NoPermission } from '../../components/layout/list-states.tsx';
import { lastSessionEnd, useUser } from '../../lib/session/session.ts';
import { needTexts } from '../../lib/text/texts.ts';
import { ShellPage } from '../shell/ShellPage.tsx';
import { CrashPage, NotFoundPage } from './ErrorPages.tsx';
import { accessResult } from './guard.ts';
import { type Access, SCREENS, type Screen } from './screens.ts';

async function loadScreen({ load, texts }: Screen): Promise<ComponentType> {
  const [component] = await Promise.all([load(), needTexts([texts])]);
  return component;
}

/** Preloads a screen when the pointer is over its link. */
function prefetch(pathname: string): void {
  const screen = SCREENS.find(({ path }) => matchPath(path, pathname));
  if (screen) void loadScreen(screen).catch(() => undefined);
}

/** Shown while the first screen loads; the shell is already visible, so it renders nothing. */
function NoScreen() {
  return null;
}

function screenRoute(screen: Screen): RouteObject {
  return {
    path: screen.path,
    lazy: async () => ({ Component: guarded(screen.access, await loadScreen(screen)) }),
    HydrateFallback: NoScreen,
    ErrorBoundary: CrashPage,
  };
}

function guarded(access: Access, Screen: ComponentType): ComponentType {
  if (access === 'open') return Screen;
  return function GuardedScreen() {
    return (
      <Guarded access={access}>
        <Screen />
      </Guarded>
    );
  };
}

export function createRouter() {
  return createBrowserRouter([
    {
      element: <ShellPage prefetch={prefetch} />,
      ErrorBoundary: CrashPage,
      children: [
        ...SCREENS.map(screenRoute),
        { path: '/app', element: <Navigate replace to="/app/dashboard" /> },
        { path: '*', Component: NotFoundPage },
      ],
    },
  ]);
}

interface GuardedProps {
  readonly access: Access;
  readonly children: ReactNode;
}

/** Renders a screen only for roles with access. The server authorizes every call itself. */
function Guarded({ access, children }: GuardedProps) {
  const user = useUser();
  const { pathname, search } = useLocation();
  const result = accessResult(access, user, pathname + search, lastSessionEnd());
  if (result === 'show') return children;
  return result === 'no-permission' ? <NoPermission /> : <Navigate replace to={result.to} />;
}
