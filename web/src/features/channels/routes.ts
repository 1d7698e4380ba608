import type { FeatureRoutes } from '../../lib/routes.ts';

const loadEditor = async () => (await import('./editor/ChannelEditorPage.tsx')).EditorPage;

export const channelRoutes: FeatureRoutes = {
  texts: ['channel'],
  screens: {
    '/admin/channels': {
      access: 'admin',
      load: async () => (await import('./list/ChannelsPage.tsx')).ChannelsPage,
    },
    '/channel/add': { access: 'admin', load: loadEditor },
    '/channel/edit/:id': { access: 'admin', load: loadEditor },
  },
};
