import type { FeatureRoutes } from '../../lib/routes.ts';

export const chatRoutes: FeatureRoutes = {
  texts: ['chat'],
  screens: {
    '/chat/:id?': {
      access: 'open',
      load: async () => (await import('./ChatPage.tsx')).ChatPage,
    },
    '/chat2link': {
      access: 'user',
      load: async () => (await import('./ChatLinkPage.tsx')).ChatLinkPage,
    },
  },
};
