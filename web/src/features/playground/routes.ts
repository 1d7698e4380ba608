import type { FeatureRoutes } from '../../lib/routes.ts';

export const playgroundRoutes: FeatureRoutes = {
  texts: ['playground'],
  screens: {
    '/playground': {
      access: 'user',
      load: async () => (await import('./PlaygroundPage.tsx')).PlaygroundPage,
    },
  },
};
