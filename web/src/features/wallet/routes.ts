import type { FeatureRoutes } from '../../lib/routes.ts';

export const walletRoutes: FeatureRoutes = {
  texts: ['wallet'],
  screens: {
    '/app/wallet': {
      access: 'user',
      load: async () => (await import('./WalletPage.tsx')).WalletPage,
    },
  },
};
