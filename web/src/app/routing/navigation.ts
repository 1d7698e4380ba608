/** The destinations of the side menu, the phone menu and the search. */
import {
  IconBrush,
  IconChartHistogram,
  IconGauge,
  IconKey,
  IconMail,
  IconMessageCircle,
  IconMusic,
  IconReceipt,
  IconRoute,
  IconSettings,
  IconTicket,
  IconUserCircle,
  IconUsers,
  IconWallet,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import type texts from '../../locales/zh/core.json';

export interface NavItem {
  readonly path: string;
  /** Key under `nav.` in the texts. */
  readonly name: NameIn<keyof typeof texts>;
  readonly icon: ComponentType<{ size?: number; stroke?: number }>;
  /** Second key after `g`. */
  readonly jump?: string;
  /** Shown only if the site has this feature on. */
  readonly needs?: 'dataExport' | 'drawing' | 'tasks';
}

type NameIn<Key> = Key extends `nav.${infer Name}` ? Name : never;

export interface NavGroup {
  readonly name: 'top' | 'console' | 'admin' | 'personal';
  readonly isForAdmins?: true;
  readonly items: readonly NavItem[];
}

export const NAVIGATION: readonly NavGroup[] = [
  {
    name: 'top',
    items: [{ path: '/playground', name: 'playground', icon: IconMessageCircle, jump: 'p' }],
  },
  {
    name: 'console',
    items: [
      {
        path: '/app/dashboard',
        name: 'dashboard',
        icon: IconChartHistogram,
        jump: 'd',
        needs: 'dataExport',
      },
      { path: '/app/tokens', name: 'tokens', icon: IconKey, jump: 't' },
      { path: '/app/logs/api-usage', name: 'logs', icon: IconReceipt, jump: 'l' },
      { path: '/app/logs/drawing', name: 'drawing', icon: IconBrush, needs: 'drawing' },
      { path: '/app/logs/tasks', name: 'tasks', icon: IconMusic, needs: 'tasks' },
    ],
  },
  {
    name: 'admin',
    isForAdmins: true,
    items: [
      { path: '/admin/channels', name: 'channels', icon: IconRoute, jump: 'c' },
      { path: '/admin/budgets', name: 'budgets', icon: IconGauge },
      { path: '/admin/coupons', name: 'coupons', icon: IconTicket },
      { path: '/admin/messages', name: 'messages', icon: IconMail },
      { path: '/admin/users', name: 'users', icon: IconUsers, jump: 'u' },
      { path: '/admin/settings', name: 'settings', icon: IconSettings, jump: 's' },
    ],
  },
  {
    name: 'personal',
    items: [
      { path: '/app/wallet', name: 'wallet', icon: IconWallet, jump: 'w' },
      { path: '/app/me', name: 'me', icon: IconUserCircle, jump: 'm' },
    ],
  },
];

/** The navigation groups for this user and site, without disabled features. */
export function useNavigationGroups(isAdmin: boolean): NavGroup[] {
  const [dataExport] = useStored(STORED.dataExportOn);
  const [drawing] = useStored(STORED.drawingOn);
  const [tasks] = useStored(STORED.tasksOn);
  return groupsFor(isAdmin, { dataExport, drawing, tasks });
}

/** Omits disabled features and entries the user may not open. */
export function groupsFor(
  isAdmin: boolean,
  isOn: Readonly<Record<NonNullable<NavItem['needs']>, boolean>>,
): NavGroup[] {
  return NAVIGATION.filter(({ isForAdmins }) => isAdmin || !isForAdmins).map((group) => ({
    ...group,
    items: group.items.filter(({ needs }) => needs === undefined || isOn[needs]),
  }));
}

const WITHOUT_MENU = /^\/(|(chat|chat2link|setup|login|register|reset|user\/reset|oauth)(\/.*)?)$/;

/** The home page, framed chats, first-run set-up and the sign-in pages have no menu. */
export function hasSideMenu(pathname: string): boolean {
  return !WITHOUT_MENU.test(pathname);
}
