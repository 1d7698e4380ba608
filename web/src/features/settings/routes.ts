import type { FeatureRoutes } from '../../lib/routes.ts';

export const settingRoutes: FeatureRoutes = {
  texts: ['setting'],
  screens: {
    '/admin/settings': {
      access: 'admin-or-me',
      load: async () => (await import('./SettingsPage.tsx')).SettingsPage,
    },
  },
};
