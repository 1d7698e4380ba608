import type { FeatureRoutes } from '../../lib/routes.ts';

export const pricingRoutes: FeatureRoutes = {
  texts: ['pricing'],
  screens: {
    '/pricing': {
      access: 'open',
      load: async () => (await import('./PricingPage.tsx')).PricingPage,
    },
  },
};
