import type { FeatureRoutes } from '../../lib/routes.ts';

export const userRoutes: FeatureRoutes = {
  texts: ['user'],
  screens: {
    '/admin/users': {
      access: 'admin',
      load: async () => (await import('./UsersPage.tsx')).UsersPage,
    },
    '/user/edit': {
      access: 'user',
      load: async () => (await import('./EditSelfPage.tsx')).EditSelfPage,
    },
    '/user/edit/:id': {
      access: 'admin',
      load: async () => (await import('./EditUserPage.tsx')).EditUserPage,
    },
  },
};
