/** Every screen of the console: its path, who may open it, its texts and its code. */
import type { ComponentType } from 'react';
import { REDIRECT_PROVIDERS } from '../../../../src/domain/identity-providers.ts';
import type { FeatureName } from '../../lib/text/texts.ts';

/**
 * Who may open a screen. Others are redirected, or see a message.
 * - `open`: everyone
 * - `user`: signed in, else to the sign-in page
 * - `admin`: role 10 and up; others see that they have no permission
 * - `admin-or-home`, `admin-or-me`: role 10 and up; others go to `/`, to `/app/me`
 */
export type Access = 'open' | 'user' | 'admin' | 'admin-or-home' | 'admin-or-me';

export interface Screen {
  /** In the router's syntax. */
  readonly path: string;
  readonly access: Access;
  /** The text file of `locales/<language>` that the screen needs besides the core. */
  readonly texts: FeatureName;
  readonly load: () => Promise<ComponentType>;
}

export const SCREENS: readonly Screen[] = [
  {
    path: '/about',
    access: 'open',
    texts: 'about',
    load: async () => (await import('../../features/about/AboutPage.tsx')).AboutPage,
  },
  {
    path: '/user-agreement',
    access: 'open',
    texts: 'about',
    load: async () => (await import('../../features/about/LegalPage.tsx')).UserAgreementPage,
  },
  {
    path: '/privacy-policy',
    access: 'open',
    texts: 'about',
    load: async () => (await import('../../features/about/LegalPage.tsx')).PrivacyPolicyPage,
  },
  {
    path: '/admin/channels',
    access: 'admin',
    texts: 'channel',
    load: async () => (await import('../../features/channels/list/ChannelsPage.tsx')).ChannelsPage,
  },
  {
    path: '/channel/add',
    access: 'admin',
    texts: 'channel',
    load: async () =>
      (await import('../../features/channels/editor/ChannelEditorPage.tsx')).ChannelEditorPage,
  },
  {
    path: '/channel/edit/:id',
    access: 'admin',
    texts: 'channel',
    load: async () =>
      (await import('../../features/channels/editor/ChannelEditorPage.tsx')).ChannelEditorPage,
  },
  {
    path: '/chat/:id?',
    access: 'open',
    texts: 'chat',
    load: async () => (await import('../../features/chat/ChatPage.tsx')).ChatPage,
  },
  {
    path: '/chat2link',
    access: 'user',
    texts: 'chat',
    load: async () => (await import('../../features/chat/ChatLinkPage.tsx')).ChatLinkPage,
  },
  {
    path: '/',
    access: 'open',
    texts: 'home',
    load: async () => (await import('../../features/home/HomePage.tsx')).HomePage,
  },
  {
    path: '/admin/settings',
    access: 'admin-or-me',
    texts: 'setting',
    load: async () => (await import('../../features/settings/SettingsPage.tsx')).SettingsPage,
  },
  {
    path: '/setup',
    access: 'open',
    texts: 'setup',
    load: async () => (await import('../../features/setup/SetupPage.tsx')).SetupPage,
  },
  {
    path: '/login',
    access: 'open',
    texts: 'signIn',
    load: async () => (await import('../../features/sign-in/LoginPage.tsx')).LoginPage,
  },
  {
    path: '/register',
    access: 'open',
    texts: 'signIn',
    load: async () => (await import('../../features/sign-in/RegisterPage.tsx')).RegisterPage,
  },
  {
    path: '/reset',
    access: 'open',
    texts: 'signIn',
    load: async () => (await import('../../features/sign-in/ResetPage.tsx')).ResetPage,
  },
  {
    path: '/user/reset',
    access: 'open',
    texts: 'signIn',
    load: async () => (await import('../../features/sign-in/NewPasswordPage.tsx')).NewPasswordPage,
  },
  ...REDIRECT_PROVIDERS.map(
    (provider): Screen => ({
      path: `/oauth/${provider}`,
      access: 'open',
      texts: 'signIn',
      load: async () => (await import('../../features/sign-in/CallbackPage.tsx')).CallbackPage,
    }),
  ),
  {
    path: '/app/logs/api-usage',
    access: 'user',
    texts: 'log',
    load: async () => (await import('../../features/log/list/LogPage.tsx')).LogPage,
  },
  {
    path: '/app/dashboard',
    access: 'user',
    texts: 'dashboard',
    load: async () => (await import('../../features/dashboard/DashboardPage.tsx')).DashboardPage,
  },
  {
    path: '/app/logs/drawing',
    access: 'user',
    texts: 'task',
    load: async () =>
      (await import('../../features/task/images/ImageTasksPage.tsx')).ImageTasksPage,
  },
  {
    path: '/app/logs/tasks',
    access: 'user',
    texts: 'task',
    load: async () => (await import('../../features/task/TasksPage.tsx')).TasksPage,
  },
  {
    path: '/app/inbox/:id?',
    access: 'user',
    texts: 'inbox',
    load: async () => (await import('../../features/inbox/InboxPage.tsx')).InboxPage,
  },
  {
    path: '/admin/messages',
    access: 'admin-or-home',
    texts: 'message',
    load: async () => (await import('../../features/messages/MessagesPage.tsx')).MessagesPage,
  },
  {
    path: '/playground',
    access: 'user',
    texts: 'playground',
    load: async () => (await import('../../features/playground/PlaygroundPage.tsx')).PlaygroundPage,
  },
  {
    path: '/pricing',
    access: 'open',
    texts: 'pricing',
    load: async () => (await import('../../features/pricing/PricingPage.tsx')).PricingPage,
  },
  {
    path: '/admin/budgets',
    access: 'admin',
    texts: 'budget',
    load: async () => (await import('../../features/budgets/BudgetsPage.tsx')).BudgetsPage,
  },
  {
    path: '/admin/coupons',
    access: 'admin',
    texts: 'redemption',
    load: async () =>
      (await import('../../features/redemptions/list/RedemptionsPage.tsx')).RedemptionsPage,
  },
  {
    path: '/admin/users',
    access: 'admin',
    texts: 'user',
    load: async () => (await import('../../features/users/list/UsersPage.tsx')).UsersPage,
  },
  {
    path: '/admin/statement',
    access: 'admin',
    texts: 'wallet',
    load: async () =>
      (await import('../../features/wallet/statement/StatementPage.tsx')).StatementPage,
  },
  {
    path: '/user/edit',
    access: 'user',
    texts: 'user',
    load: async () => (await import('../../features/users/editor/EditSelfPage.tsx')).EditSelfPage,
  },
  {
    path: '/user/edit/:id',
    access: 'admin',
    texts: 'user',
    load: async () => (await import('../../features/users/editor/EditUserPage.tsx')).EditUserPage,
  },
  {
    path: '/app/tokens',
    access: 'user',
    texts: 'token',
    load: async () => (await import('../../features/token/list/TokensPage.tsx')).TokensPage,
  },
  {
    path: '/app/me',
    access: 'user',
    texts: 'account',
    load: async () => (await import('../../features/account/AccountPage.tsx')).AccountPage,
  },
  {
    path: '/app/wallet',
    access: 'user',
    texts: 'wallet',
    load: async () => (await import('../../features/wallet/WalletPage.tsx')).WalletPage,
  },
];
