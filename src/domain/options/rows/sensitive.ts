/**
 * Options for words that prompts must not contain. The `global.` pair determines who is exempt;
 * SafeCheckExempt* and StopOnSensitiveEnabled are only kept for older installations.
 */
import { wordsAndPatterns } from '../checks.ts';
import type { OptionRows } from '../row.ts';

export const sensitiveOptions = {
  CheckSensitiveEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    summary: 'Main switch of the sensitive-word check.',
  },
  CheckSensitiveOnPromptEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    summary: 'Checks prompts for sensitive words.',
  },
  SensitiveWords: {
    type: 'lines',
    fallback: 'test_sensitive',
    role: 10,
    check: wordsAndPatterns,
    summary: 'One word per line; a line starting with regex: is a pattern.',
  },
  'global.safe_check_exempt_enabled': {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Exempts one group from the sensitive-word check.',
  },
  'global.safe_check_exempt_group': {
    type: 'text',
    fallback: 'nsfw-ok',
    role: 10,
    form: 'line',
    summary: 'Group that is exempt from the sensitive-word check.',
  },
  SafeCheckExemptEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Has no effect; kept for older installations.',
  },
  SafeCheckExemptGroup: {
    type: 'text',
    fallback: 'nsfw-ok',
    role: 10,
    form: 'line',
    summary: 'Has no effect; kept for older installations.',
  },
  StopOnSensitiveEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    summary: 'Has no effect; kept for older installations.',
  },
} as const satisfies OptionRows;
