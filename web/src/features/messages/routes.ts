import type { FeatureRoutes } from '../../lib/routes.ts';

export const messageRoutes: FeatureRoutes = {
  texts: ['message'],
  screens: {
    '/admin/messages': {
      access: 'admin-or-home',
      load: async () => (await import('./MessagesPage.tsx')).MessagesPage,
    },
  },
};
