import type { FeatureRoutes } from '../../lib/routes.ts';

const loadCallback = async () => (await import('./CallbackPage.tsx')).CallbackPage;

export const signInRoutes: FeatureRoutes = {
  texts: ['signIn'],
  screens: {
    '/login': { access: 'open', load: async () => (await import('./LoginPage.tsx')).LoginPage },
    '/register': {
      access: 'open',
      load: async () => (await import('./RegisterPage.tsx')).RegisterPage,
    },
    '/reset': { access: 'open', load: async () => (await import('./ResetPage.tsx')).ResetPage },
    '/user/reset': {
      access: 'open',
      load: async () => (await import('./NewPasswordPage.tsx')).NewPasswordPage,
    },
    '/oauth/github': { access: 'open', load: loadCallback },
    '/oauth/oidc': { access: 'open', load: loadCallback },
    '/oauth/linuxdo': { access: 'open', load: loadCallback },
  },
};
