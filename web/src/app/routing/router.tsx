/** The router of all screens. A screen's code and texts are loaded when it is first opened. */
import type { ComponentType } from 'react';
import { createBrowserRouter, matchPath, type RouteObject } from 'react-router-dom';
import type { Access, Screen } from '../../lib/routes.ts';
import { type FeatureName, needTexts } from '../../lib/text/texts.ts';
import { ShellPage } from '../shell/ShellPage.tsx';
import { CrashPage } from './CrashPage.tsx';
import { FEATURES } from './features.ts';
import { Guarded } from './Guarded.tsx';
import { NotFoundPage } from './NotFoundPage.tsx';

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
