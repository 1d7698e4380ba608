/** Every screen, one row each. A screen's code is fetched when it is first opened. */
import type { ComponentType } from 'react';
import { createBrowserRouter, type RouteObject } from 'react-router-dom';
import { CrashPage } from './CrashPage.tsx';
import { Shell } from './Shell.tsx';

const SCREENS: Record<string, () => Promise<ComponentType>> = {
  '/': async () => (await import('../features/status/StatusPage.tsx')).StatusPage,
  '*': async () => (await import('./NotFoundPage.tsx')).NotFoundPage,
};

/** While the first screen's code is on its way: the shell already stands, so nothing needs to flash. */
function EmptyPlace() {
  return null;
}

function screenRoute([path, load]: [string, () => Promise<ComponentType>]): RouteObject {
  return {
    path,
    lazy: async () => ({ Component: await load() }),
    HydrateFallback: EmptyPlace,
    ErrorBoundary: CrashPage,
  };
}

export function createRouter() {
  return createBrowserRouter([
    {
      Component: Shell,
      ErrorBoundary: CrashPage,
      children: Object.entries(SCREENS).map(screenRoute),
    },
  ]);
}
