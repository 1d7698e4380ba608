import type { FeatureRoutes, Screen } from '../../lib/routes.ts';

/** List and message are side by side; on a phone they are two pages. */
const inbox: Screen = {
  access: 'user',
  load: async () => (await import('./InboxPage.tsx')).InboxPage,
};

export const inboxRoutes: FeatureRoutes = {
  texts: ['inbox'],
  screens: { '/app/inbox': inbox, '/app/inbox/:id': inbox },
};
