import type { FeatureRoutes } from '../../lib/routes.ts';

export const logRoutes: FeatureRoutes = {
  texts: ['log'],
  screens: {
    '/app/logs/api-usage': {
      access: 'user',
      load: async () => (await import('./LogPage.tsx')).LogPage,
    },
  },
};
