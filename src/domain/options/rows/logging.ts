/** Options for call logging and the dashboard statistics. */
import { RANGES, USUAL_LOG_RANGE } from '../../logs/time-ranges.ts';
import type { OptionRows } from '../row.ts';
import { CHOICE, COUNT, SWITCH } from '../row-bases.ts';

export const loggingOptions = {
  LogConsumeEnabled: { ...SWITCH, fallback: 'true' },
  LogChatContentEnabled: SWITCH,
  LogErrorEnabled: SWITCH,
  FailedCallDays: { ...COUNT, fallback: '7', max: 90 },
  LogRetentionDays: { ...COUNT, max: 36500 },
  LogClearRootOnly: { ...SWITCH, role: 100 },
  LogDefaultRange: { ...CHOICE, fallback: USUAL_LOG_RANGE, public: true, choices: RANGES },
  DataExportEnabled: { ...SWITCH, fallback: 'true', public: true },
  DataExportInterval: { ...COUNT, fallback: '5', min: 1 },
  DataExportDefaultTime: {
    ...CHOICE,
    fallback: 'hour',
    public: true,
    choices: ['hour', 'day', 'week'],
  },
} as const satisfies OptionRows;
