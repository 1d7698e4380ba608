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

type Loads = Readonly<Record<string, Screen['load']>>;

/** The screens of a feature that the same people may open, by path. */
function screens(texts: FeatureName, access: Access, loads: Loads): readonly Screen[] {
  return Object.entries(loads).map(([path, load]) => ({ path, access, texts, load }));
}

const callback: Screen['load'] = async () =>
  (await import('../../features/sign-in/CallbackPage.tsx')).CallbackPage;

export const SCREENS: readonly Screen[] = [
  ...screens('about', 'open', {
    '/about': async () => (await import('../../features/about/AboutPage.tsx')).AboutPage,
    '/user-agreement': async () =>
      (await import('../../features/about/LegalPage.tsx')).UserAgreementPage,
    '/privacy-policy': async () =>
      (await import('../../features/about/LegalPage.tsx')).PrivacyPolicyPage,
  }),
  ...screens('channel', 'admin', {
    '/admin/channels': async () =>
      (await import('../../features/channels/list/ChannelsPage.tsx')).ChannelsPage,
    '/channel/add': async () =>
      (await import('../../features/channels/editor/ChannelEditorPage.tsx')).ChannelEditorPage,
    '/channel/edit/:id': async () =>
      (await import('../../features/channels/editor/ChannelEditorPage.tsx')).ChannelEditorPage,
  }),
  ...screens('chat', 'open', {
    '/chat/:id?': async () => (await import('../../features/chat/ChatPage.tsx')).ChatPage,
  }),
  ...screens('chat', 'user', {
    '/chat2link': async () => (await import('../../features/chat/ChatLinkPage.tsx')).ChatLinkPage,
  }),
  ...screens('home', 'open', {
    '/': async () => (await import('../../features/home/HomePage.tsx')).HomePage,
  }),
  ...screens('setting', 'admin-or-me', {
    '/admin/settings': async () =>
      (await import('../../features/settings/SettingsPage.tsx')).SettingsPage,
  }),
  ...screens('setup', 'open', {
    '/setup': async () => (await import('../../features/setup/SetupPage.tsx')).SetupPage,
  }),
  ...screens('signIn', 'open', {
    '/login': async () => (await import('../../features/sign-in/LoginPage.tsx')).LoginPage,
    '/register': async () => (await import('../../features/sign-in/RegisterPage.tsx')).RegisterPage,
    '/reset': async () => (await import('../../features/sign-in/ResetPage.tsx')).ResetPage,
    '/user/reset': async () =>
      (await import('../../features/sign-in/NewPasswordPage.tsx')).NewPasswordPage,
    ...Object.fromEntries(REDIRECT_PROVIDERS.map((provider) => [`/oauth/${provider}`, callback])),
  }),
  ...screens('log', 'user', {
    '/app/logs/api-usage': async () =>
      (await import('../../features/log/list/LogPage.tsx')).LogPage,
  }),
  ...screens('dashboard', 'user', {
    '/app/dashboard': async () =>
      (await import('../../features/dashboard/DashboardPage.tsx')).DashboardPage,
  }),
  ...screens('task', 'user', {
    '/app/logs/drawing': async () =>
      (await import('../../features/task/images/ImageTasksPage.tsx')).ImageTasksPage,
    '/app/logs/tasks': async () => (await import('../../features/task/TasksPage.tsx')).TasksPage,
  }),
  ...screens('inbox', 'user', {
    '/app/inbox/:id?': async () => (await import('../../features/inbox/InboxPage.tsx')).InboxPage,
  }),
  ...screens('message', 'admin-or-home', {
    '/admin/messages': async () =>
      (await import('../../features/messages/MessagesPage.tsx')).MessagesPage,
  }),
  ...screens('playground', 'user', {
    '/playground': async () =>
      (await import('../../features/playground/PlaygroundPage.tsx')).PlaygroundPage,
  }),
  ...screens('pricing', 'open', {
    '/pricing': async () => (await import('../../features/pricing/PricingPage.tsx')).PricingPage,
  }),
  ...screens('budget', 'admin', {
    '/admin/budgets': async () =>
      (await import('../../features/budgets/BudgetsPage.tsx')).BudgetsPage,
  }),
  ...screens('redemption', 'admin', {
    '/admin/coupons': async () =>
      (await import('../../features/redemptions/list/RedemptionsPage.tsx')).RedemptionsPage,
  }),
  ...screens('user', 'admin', {
    '/admin/users': async () => (await import('../../features/users/list/UsersPage.tsx')).UsersPage,
    '/user/edit/:id': async () =>
      (await import('../../features/users/editor/EditUserPage.tsx')).EditUserPage,
  }),
  ...screens('wallet', 'admin', {
    '/admin/statement': async () =>
      (await import('../../features/wallet/statement/StatementPage.tsx')).StatementPage,
  }),
  ...screens('user', 'user', {
    '/user/edit': async () =>
      (await import('../../features/users/editor/EditSelfPage.tsx')).EditSelfPage,
  }),
  ...screens('token', 'user', {
    '/app/tokens': async () =>
      (await import('../../features/token/list/TokensPage.tsx')).TokensPage,
  }),
  ...screens('account', 'user', {
    '/app/me': async () => (await import('../../features/account/AccountPage.tsx')).AccountPage,
  }),
  ...screens('wallet', 'user', {
    '/app/wallet': async () => (await import('../../features/wallet/WalletPage.tsx')).WalletPage,
  }),
];
