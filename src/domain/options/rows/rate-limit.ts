/** Options for rate limits of model calls per user and per group, and the exempt group. */
import type { OptionRows } from '../row.ts';

export const rateLimitOptions = {
  ModelRequestRateLimitEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Limits how often each user may call models.',
  },
  ModelRequestRateLimitDurationMinutes: {
    type: 'int',
    fallback: '1',
    role: 10,
    min: 0,
    summary: 'Length of the period in minutes.',
  },
  ModelRequestRateLimitCount: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    summary: 'Calls per period, including failed ones; 0 means no limit.',
  },
  ModelRequestRateLimitSuccessCount: {
    type: 'int',
    fallback: '1000',
    role: 10,
    min: 1,
    summary: 'Successful calls per period.',
  },
  GroupMaxConcurrency: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'group_counts',
    summary:
      'Maximum simultaneous calls of all users of a group together, by group; no limit if not set.',
  },
  GroupTokensPerMinute: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'group_counts',
    summary:
      'Maximum tokens per minute of all users of a group together, by group; no limit if not set.',
  },
  'global.rate_limit_exempt_enabled': {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Exempts one group from the rate limit of calls.',
  },
  'global.rate_limit_exempt_group': {
    type: 'text',
    fallback: 'bulk-ok',
    role: 10,
    form: 'line',
    summary: 'Group that is exempt from the rate limit of calls.',
  },
} as const satisfies OptionRows;
