import type { FeatureRoutes } from '../../lib/routes.ts';

export const taskRoutes: FeatureRoutes = {
  texts: ['task'],
  screens: {
    '/app/logs/drawing': {
      access: 'user',
      load: async () => (await import('./images/ImageTasksPage.tsx')).DrawingsPage,
    },
    '/app/logs/tasks': {
      access: 'user',
      load: async () => (await import('./TasksPage.tsx')).TasksPage,
    },
  },
};
