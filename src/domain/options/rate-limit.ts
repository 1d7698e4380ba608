/** Options for rate limits of model calls per user and per group, and the exempt group. */
import type { OptionRows } from './row.ts';

export const rateLimitOptions = {
  ModelRequestRateLimitEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'rate-limit',
    summary: 'Limits how often each user may call models.',
  },
  ModelRequestRateLimitDurationMinutes: {
    type: 'int',
    fallback: '1',
    role: 10,
    group: 'rate-limit',
    min: 0,
    summary: 'Length of the window in minutes.',
  },
  ModelRequestRateLimitCount: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'rate-limit',
    min: 0,
    summary: 'Calls per window, failed ones included; 0 means no limit.',
  },
  ModelRequestRateLimitSuccessCount: {
    type: 'int',
    fallback: '1000',
    role: 10,
    group: 'rate-limit',
    min: 1,
    summary: 'Successful calls per window.',
  },
  GroupMaxConcurrency: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'rate-limit',
    shape: 'group_counts',
    summary:
      'Calls that all users of a group together may have running, by group; absent: no limit.',
  },
  GroupTokensPerMinute: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'rate-limit',
    shape: 'group_counts',
    summary:
      'Tokens that all users of a group together may use a minute, by group; absent: no limit.',
  },
  'global.rate_limit_exempt_enabled': {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'rate-limit',
    summary: 'Exempts one group from the call limits.',
  },
  'global.rate_limit_exempt_group': {
    type: 'text',
    fallback: 'bulk-ok',
    role: 10,
    group: 'rate-limit',
    form: 'line',
    summary: 'The group exempt from the call limits.',
  },
} as const satisfies OptionRows;
