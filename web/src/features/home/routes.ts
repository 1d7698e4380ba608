import type { FeatureRoutes } from '../../lib/routes.ts';

export const homeRoutes: FeatureRoutes = {
  texts: ['home'],
  screens: {
    '/': { access: 'open', load: async () => (await import('./HomePage.tsx')).HomePage },
  },
};
