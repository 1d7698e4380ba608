/** Options for call logging and the dashboard statistics. */
import { RANGES, USUAL_LOG_RANGE } from '../../logs/time-ranges.ts';
import type { OptionRows } from '../row.ts';

export const loggingOptions = {
  LogConsumeEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    summary: 'Writes a log entry for every call; the dashboard counts these entries.',
  },
  LogChatContentEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Stores prompts and answers in the log entries.',
  },
  LogErrorEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Writes a log entry for every failed attempt.',
  },
  FailedCallDays: {
    type: 'int',
    fallback: '7',
    role: 10,
    min: 0,
    max: 90,
    summary: 'Days for which records of failed calls are kept; 0 records none.',
  },
  LogRetentionDays: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    max: 36500,
    summary: 'Days after which log entries are deleted, and their hours become days; 0 keeps both.',
  },
  LogClearRootOnly: {
    type: 'bool',
    fallback: 'false',
    role: 100,
    summary: 'Lets only super administrators delete log entries.',
  },
  LogDefaultRange: {
    type: 'choice',
    fallback: USUAL_LOG_RANGE,
    role: 10,
    public: true,
    choices: RANGES,
    summary: 'Time range that the usage log shows when it is opened.',
  },
  DataExportEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    public: true,
    summary: 'Collects the figures of the dashboard and shows it.',
  },
  DataExportInterval: {
    type: 'int',
    fallback: '5',
    role: 10,
    min: 1,
    summary: 'Minutes between two updates of the dashboard figures.',
  },
  DataExportDefaultTime: {
    type: 'choice',
    fallback: 'hour',
    role: 10,
    public: true,
    choices: ['hour', 'day', 'week'],
    summary: 'Time step of the dashboard charts when the dashboard is opened.',
  },
} as const satisfies OptionRows;
