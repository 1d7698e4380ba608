/** Lists every feature of the console: its routes and the texts they need. */
import { aboutRoutes } from '../../features/about/routes.ts';
import { accountRoutes } from '../../features/account/routes.ts';
import { channelRoutes } from '../../features/channels/routes.ts';
import { chatRoutes } from '../../features/chat/routes.ts';
import { dashboardRoutes } from '../../features/dashboard/routes.ts';
import { homeRoutes } from '../../features/home/routes.ts';
import { inboxRoutes } from '../../features/inbox/routes.ts';
import { logRoutes } from '../../features/log/routes.ts';
import { messageRoutes } from '../../features/messages/routes.ts';
import { playgroundRoutes } from '../../features/playground/routes.ts';
import { pricingRoutes } from '../../features/pricing/routes.ts';
import { redemptionRoutes } from '../../features/redemptions/routes.ts';
import { settingRoutes } from '../../features/settings/routes.ts';
import { setupRoutes } from '../../features/setup/routes.ts';
import { signInRoutes } from '../../features/sign-in/routes.ts';
import { taskRoutes } from '../../features/task/routes.ts';
import { tokenRoutes } from '../../features/token/routes.ts';
import { userRoutes } from '../../features/users/routes.ts';
import { walletRoutes } from '../../features/wallet/routes.ts';
import type { FeatureRoutes } from '../../lib/routes.ts';

export const FEATURES: readonly FeatureRoutes[] = [
  aboutRoutes,
  channelRoutes,
  chatRoutes,
  homeRoutes,
  settingRoutes,
  setupRoutes,
  signInRoutes,
  logRoutes,
  dashboardRoutes,
  taskRoutes,
  inboxRoutes,
  messageRoutes,
  playgroundRoutes,
  pricingRoutes,
  redemptionRoutes,
  userRoutes,
  tokenRoutes,
  accountRoutes,
  walletRoutes,
];
