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
import type { Access, Screen } from '../../lib/routes.ts';
import { lastLoss, useUser } from '../../lib/session/session.ts';
import { type FeatureName, needTexts } from '../../lib/text/texts.ts';
import { ShellPage } from '../shell/ShellPage.tsx';
import { CrashPage, NotFoundPage } from './ErrorPages.tsx';
import { FEATURES } from './features.ts';
import { outcome } from './guard.ts';

interface Place {
  readonly path: string;
  readonly screen: Screen;
  readonly texts: readonly FeatureName[];
}

const PLACES: readonly Place[] = FEATURES.flatMap(({ texts, screens }) =>
  Object.entries(screens).map(([path, screen]) => ({ path, screen, texts })),
);

async function loadPlace({ screen, texts }: Place): Promise<ComponentType> {
  const [component] = await Promise.all([screen.load(), needTexts(texts)]);
  return component;
}

/** Preloads a screen when the pointer is over its link. */
function prefetch(pathname: string): void {
  const place = PLACES.find(({ path }) => matchPath(path, pathname));
  if (place) void loadPlace(place).catch(() => undefined);
}

/** Shown while the first screen loads; the shell is already visible, so it renders nothing. */
function EmptyPlace() {
  return null;
}

function placeRoute(place: Place): RouteObject {
  return {
    path: place.path,
    lazy: async () => ({ Component: guarded(place.screen.access, await loadPlace(place)) }),
    HydrateFallback: EmptyPlace,
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
      children: [...PLACES.map(placeRoute), { path: '*', Component: NotFoundPage }],
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
  const result = outcome(access, user, pathname + search, lastLoss());
  if (result === 'show') return children;
  return result === 'no-permission' ? <NoPermission /> : <Navigate replace to={result.to} />;
}
