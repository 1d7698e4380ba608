import type { FeatureRoutes } from '../../lib/routes.ts';

export const aboutRoutes: FeatureRoutes = {
  texts: ['about'],
  screens: {
    '/about': { access: 'open', load: async () => (await import('./AboutPage.tsx')).AboutPage },
  },
};
