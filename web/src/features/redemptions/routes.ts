import type { FeatureRoutes } from '../../lib/routes.ts';

export const redemptionRoutes: FeatureRoutes = {
  texts: ['redemption'],
  screens: {
    '/admin/coupons': {
      access: 'admin',
      load: async () => (await import('./list/RedemptionsPage.tsx')).RedemptionsPage,
    },
  },
};
