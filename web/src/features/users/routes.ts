import type { FeatureRoutes } from '../../lib/routes.ts';

export const userRoutes: FeatureRoutes = {
  texts: ['user'],
  screens: {
    '/admin/users': {
      access: 'admin',
      load: async () => (await import('./list/UsersPage.tsx')).UsersPage,
    },
    '/user/edit': {
      access: 'user',
      load: async () => (await import('./editor/EditSelfPage.tsx')).EditSelfPage,
    },
    '/user/edit/:id': {
      access: 'admin',
      load: async () => (await import('./editor/EditUserPage.tsx')).EditUserPage,
    },
  },
};
