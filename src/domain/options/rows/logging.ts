/** Options for call logging and the dashboard statistics. */
import { RANGES, USUAL_LOG_RANGE } from '../../logs/time-ranges.ts';
import type { OptionRows } from '../row.ts';

export const loggingOptions = {
  LogConsumeEnabled: { type: 'bool', fallback: 'true', role: 10 },
  LogChatContentEnabled: { type: 'bool', fallback: 'false', role: 10 },
  LogErrorEnabled: { type: 'bool', fallback: 'false', role: 10 },
  FailedCallDays: { type: 'int', fallback: '7', role: 10, min: 0, max: 90 },
  LogRetentionDays: { type: 'int', fallback: '0', role: 10, min: 0, max: 36500 },
  LogClearRootOnly: { type: 'bool', fallback: 'false', role: 100 },
  LogDefaultRange: {
    type: 'choice',
    fallback: USUAL_LOG_RANGE,
    role: 10,
    public: true,
    choices: RANGES,
  },
  DataExportEnabled: { type: 'bool', fallback: 'true', role: 10, public: true },
  DataExportInterval: { type: 'int', fallback: '5', role: 10, min: 1 },
  DataExportDefaultTime: {
    type: 'choice',
    fallback: 'hour',
    role: 10,
    public: true,
    choices: ['hour', 'day', 'week'],
  },
} as const satisfies OptionRows;
