import type { FeatureRoutes } from '../../lib/routes.ts';

export const accountRoutes: FeatureRoutes = {
  texts: ['account'],
  screens: {
    '/app/me': {
      access: 'user',
      load: async () => (await import('./AccountPage.tsx')).AccountPage,
    },
  },
};
