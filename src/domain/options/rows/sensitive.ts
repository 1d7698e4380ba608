/**
 * Options for words that prompts must not contain. The `global.` pair determines who is exempt;
 * SafeCheckExempt* and StopOnSensitiveEnabled are only kept for older installations.
 */
import { wordsAndPatterns } from '../checks.ts';
import type { OptionRows } from '../row.ts';

export const sensitiveOptions = {
  CheckSensitiveEnabled: { type: 'bool', fallback: 'true', role: 10 },
  CheckSensitiveOnPromptEnabled: { type: 'bool', fallback: 'true', role: 10 },
  SensitiveWords: { type: 'lines', fallback: 'test_sensitive', role: 10, check: wordsAndPatterns },
  'global.safe_check_exempt_enabled': { type: 'bool', fallback: 'false', role: 10 },
  'global.safe_check_exempt_group': { type: 'text', fallback: 'nsfw-ok', role: 10, form: 'line' },
  SafeCheckExemptEnabled: { type: 'bool', fallback: 'false', role: 10 },
  SafeCheckExemptGroup: { type: 'text', fallback: 'nsfw-ok', role: 10, form: 'line' },
  StopOnSensitiveEnabled: { type: 'bool', fallback: 'true', role: 10 },
} as const satisfies OptionRows;
