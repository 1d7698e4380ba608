/** The columns of a user that administrators write. All layers derive their fields from them. */
import { CAPS } from './caps.ts';
import { columnNames, type NounColumns, NUMBER_COLUMN, TEXT_COLUMN } from './columns.ts';

export const USER = {
  username: { kind: 'text', most: 12, flag: '--username <name>' },
  display_name: { kind: 'text', most: 20, flag: '--display-name <text>' },
  group: { kind: 'text', most: 64, flag: '--group <name>' },
  email: { kind: 'text', most: 50, flag: '--email <address>' },
  ...CAPS,
} as const satisfies NounColumns;

/** The ids of external identities; '' if not linked. */
export const IDENTITY = {
  github_id: TEXT_COLUMN,
  oidc_id: TEXT_COLUMN,
  wechat_id: TEXT_COLUMN,
  telegram_id: TEXT_COLUMN,
  linux_do_id: TEXT_COLUMN,
} as const satisfies NounColumns;
export const IDENTITY_COLUMNS = columnNames(IDENTITY);
export type IdentityColumn = keyof typeof IDENTITY;

/** What else a user has that replies show as it is stored. */
export const USER_RECORD = {
  /** 1 user, 10 admin, 100 super admin. */
  role: NUMBER_COLUMN,
  /** 1 enabled, 2 banned. */
  status: NUMBER_COLUMN,
  ...IDENTITY,
  quota: NUMBER_COLUMN,
  used_quota: NUMBER_COLUMN,
  /** Held by running calls; part of `quota`. */
  held: NUMBER_COLUMN,
  request_count: NUMBER_COLUMN,
  aff_code: TEXT_COLUMN,
  aff_count: NUMBER_COLUMN,
  aff_quota: NUMBER_COLUMN,
  inviter_id: NUMBER_COLUMN,
  /** Epoch seconds; 0 when not recorded. */
  created_time: NUMBER_COLUMN,
  last_login_time: NUMBER_COLUMN,
} as const satisfies NounColumns;
