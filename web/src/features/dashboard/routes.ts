import type { FeatureRoutes } from '../../lib/routes.ts';

export const dashboardRoutes: FeatureRoutes = {
  texts: ['dashboard'],
  screens: {
    '/app/dashboard': {
      access: 'user',
      load: async () => (await import('./DashboardPage.tsx')).DashboardPage,
    },
  },
};
