import type { FeatureRoutes } from '../../lib/routes.ts';

export const tokenRoutes: FeatureRoutes = {
  texts: ['token'],
  screens: {
    '/app/tokens': {
      access: 'user',
      load: async () => (await import('./list/TokensPage.tsx')).TokensPage,
    },
  },
};
