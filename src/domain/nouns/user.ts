/** The columns of a user that administrators write. All layers derive their fields from them. */
import { CAPS } from './caps.ts';
import { columnNames, type NounColumns } from './columns.ts';

export const USER = {
  username: { kind: 'text', most: 12, flag: '--username <name>' },
  display_name: { kind: 'text', most: 20, flag: '--display-name <text>' },
  group: { kind: 'text', most: 64, flag: '--group <name>' },
  email: { kind: 'text', most: 50, flag: '--email <address>' },
  ...CAPS,
} as const satisfies NounColumns;

const NUMBER = { kind: 'number' } as const;
const TEXT = { kind: 'text' } as const;

/** The ids of external identities; '' if not linked. */
export const IDENTITY = {
  github_id: TEXT,
  oidc_id: TEXT,
  wechat_id: TEXT,
  telegram_id: TEXT,
  linux_do_id: TEXT,
} as const satisfies NounColumns;
export const IDENTITY_COLUMNS = columnNames(IDENTITY);
export type IdentityColumn = keyof typeof IDENTITY;

/** What else a user has that replies show as it is stored. */
export const USER_RECORD = {
  /** 1 user, 10 admin, 100 super admin. */
  role: NUMBER,
  /** 1 enabled, 2 banned. */
  status: NUMBER,
  ...IDENTITY,
  quota: NUMBER,
  used_quota: NUMBER,
  /** Held by running calls; part of `quota`. */
  held: NUMBER,
  request_count: NUMBER,
  aff_code: TEXT,
  aff_count: NUMBER,
  aff_quota: NUMBER,
  inviter_id: NUMBER,
  /** Epoch seconds; 0 when not recorded. */
  created_time: NUMBER,
  last_login_time: NUMBER,
} as const satisfies NounColumns;
