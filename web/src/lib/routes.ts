/** How a feature declares its screens; `app/routing/router.tsx` collects them. */
import type { ComponentType } from 'react';
import type { FeatureName } from './text/texts.ts';

/**
 * Who may open a screen. Others are redirected, or see a message.
 * - `open`: everyone
 * - `user`: signed in, else to the sign-in page
 * - `admin`: role 10 and up; others see that they have no permission
 * - `admin-or-home`, `admin-or-me`: role 10 and up; others go to `/`, to `/app/me`
 */
export type Access = 'open' | 'user' | 'admin' | 'admin-or-home' | 'admin-or-me';

export interface Screen {
  readonly access: Access;
  readonly load: () => Promise<ComponentType>;
}

export interface FeatureRoutes {
  /** Text files of `locales/<language>` the screens need besides the core. */
  readonly texts: readonly FeatureName[];
  /** By path, in the router's syntax. */
  readonly screens: Readonly<Record<string, Screen>>;
}
