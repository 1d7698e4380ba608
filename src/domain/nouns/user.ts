/** The columns of a user that administrators write. All layers derive their fields from them. */
import { CAPS } from './caps.ts';
import type { NounColumns } from './columns.ts';

export const USER = {
  username: { kind: 'text', most: 12, flag: '--username <name>' },
  display_name: { kind: 'text', most: 20, flag: '--display-name <text>' },
  group: { kind: 'text', most: 64, flag: '--group <name>' },
  email: { kind: 'text', most: 50, flag: '--email <address>' },
  ...CAPS,
} as const satisfies NounColumns;
