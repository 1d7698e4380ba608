import type { FeatureRoutes, Screen } from '../../lib/routes.ts';

/** List and message stand side by side, and are two pages on a phone. */
const inbox: Screen = {
  access: 'user',
  load: async () => (await import('./InboxPage.tsx')).InboxPage,
};

export const inboxRoutes: FeatureRoutes = {
  texts: ['inbox'],
  screens: { '/app/inbox': inbox, '/app/inbox/:id': inbox },
};
