/** The columns of an API token that its owner writes. All layers derive their fields from them. */
import { CAPS } from './caps.ts';
import type { NounColumns } from './columns.ts';

const NUMBER = { kind: 'number', least: 0 } as const;
const SWITCH = { kind: 'boolean', default: false } as const;
const TEXT = { kind: 'text', default: '' } as const;

export const TOKEN = {
  name: { kind: 'text', most: 30, flag: '--name <name>' },
  /** Changed by the ledger only. */
  remain_quota: { ...NUMBER, default: 500_000 },
  unlimited_quota: { ...SWITCH, flag: '--unlimited' },
  /** Epoch seconds in the future, or -1 for never. */
  expired_time: { kind: 'number', least: -1, default: -1, flag: '--expires <time>' },
  /** Empty means the user's own group. */
  group: { ...TEXT, most: 64, flag: '--group <name>' },
  model_limits_enabled: SWITCH,
  model_limits: { kind: 'list', default: '', flag: '--models <names>' },
  /** Addresses or CIDR ranges, one per line; empty allows all. */
  allow_ips: { ...TEXT, most: 20_000, flag: '--ips <addresses>' },
  rate_limit_enabled: SWITCH,
  /** Seconds. */
  rate_limit_period: { kind: 'number', least: 1, most: 31_536_000, default: 60 },
  /** Calls per period; 0 means no limit. */
  rate_limit_count: { ...NUMBER, most: 1_000_000, default: 1000 },
  /** Successful calls per period; 0 means no limit. */
  rate_limit_success: { ...NUMBER, most: 1_000_000, default: 10 },
  ...CAPS,
} as const satisfies NounColumns;
