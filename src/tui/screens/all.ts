/** All list screens, in the order of their keys. */
import type { Values } from '../../session/values.ts';
import { channelsScreen } from './channels.ts';
import { codesScreen } from './codes.ts';
import { logsScreen } from './logs.ts';
import { optionsScreen } from './options.ts';
import type { AnyScreen, ListName, ScreenName, Viewer } from './screen.ts';
import { tokensScreen } from './tokens.ts';
import { usersScreen } from './users.ts';

export type Screens = Readonly<Record<ListName, AnyScreen>>;

export function screensFor(viewer: Viewer, values: Values): Screens {
  // Each screen receives only the rows that it read itself.
  return {
    channels: channelsScreen(viewer) as unknown as AnyScreen,
    tokens: tokensScreen(viewer) as unknown as AnyScreen,
    users: usersScreen(viewer) as unknown as AnyScreen,
    logs: logsScreen(viewer, values) as unknown as AnyScreen,
    codes: codesScreen(viewer) as unknown as AnyScreen,
    options: optionsScreen(viewer) as unknown as AnyScreen,
  };
}

/** Refreshed every 2 s, like the log. */
export const DASHBOARD_EVERY_MS = 2000;
export const DASHBOARD_PATH = '/app/dashboard';

/** Whether an account with this role may open the screen. */
export function mayOpen(screens: Screens, name: ScreenName, role: number): boolean {
  return name === 'dashboard' || role >= screens[name].role;
}
