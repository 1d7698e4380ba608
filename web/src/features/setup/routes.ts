import type { FeatureRoutes } from '../../lib/routes.ts';

export const setupRoutes: FeatureRoutes = {
  texts: ['setup'],
  screens: {
    '/setup': { access: 'open', load: async () => (await import('./SetupPage.tsx')).SetupPage },
  },
};
