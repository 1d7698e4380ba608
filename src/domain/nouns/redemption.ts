/** The columns of a redemption code that administrators write. Layers derive their fields from them. */
import type { NounColumns } from './columns.ts';

const TIME = { kind: 'number', least: 0, default: 0 } as const;

export const REDEMPTION = {
  name: { kind: 'text', most: 20, flag: '--name <name>' },
  /** Quota units that it credits. */
  quota: { kind: 'number', least: 1 },
  /** Epoch seconds; 0 means no limit. */
  valid_from: { ...TIME, flag: '--from <time>' },
  valid_until: { ...TIME, flag: '--until <time>' },
} as const satisfies NounColumns;

/** Fixed when the code is created. */
export const REDEMPTION_USE = {
  /** A gift pays each user once, up to `max_uses` users; a regular code pays one user. */
  is_gift: { kind: 'boolean', default: false, flag: '--gift' },
  /** -1 means no limit. */
  max_uses: { kind: 'number', least: -1, default: -1, flag: '--max-uses <n>' },
} as const satisfies NounColumns;
