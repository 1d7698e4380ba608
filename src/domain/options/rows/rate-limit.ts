/** Options for rate limits of model calls per user and per group, and the exempt group. */
import type { OptionRows } from '../row.ts';

export const rateLimitOptions = {
  ModelRequestRateLimitEnabled: { type: 'bool', fallback: 'false', role: 10 },
  ModelRequestRateLimitDurationMinutes: { type: 'int', fallback: '1', role: 10, min: 0 },
  ModelRequestRateLimitCount: { type: 'int', fallback: '0', role: 10, min: 0 },
  ModelRequestRateLimitSuccessCount: { type: 'int', fallback: '1000', role: 10, min: 1 },
  GroupMaxConcurrency: { type: 'json', fallback: '{}', role: 10, shape: 'group_counts' },
  GroupTokensPerMinute: { type: 'json', fallback: '{}', role: 10, shape: 'group_counts' },
  'global.rate_limit_exempt_enabled': { type: 'bool', fallback: 'false', role: 10 },
  'global.rate_limit_exempt_group': { type: 'text', fallback: 'bulk-ok', role: 10, form: 'line' },
} as const satisfies OptionRows;
