import type { FeatureRoutes } from '../../lib/routes.ts';

export const logRoutes: FeatureRoutes = {
  texts: ['log'],
  screens: {
    '/app/logs/api-usage': {
      access: 'user',
      load: async () => (await import('./list/LogPage.tsx')).LogPage,
    },
  },
};
