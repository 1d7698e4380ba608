/**
 * What is written down about calls, and the figures of the dashboard.
 */
import type { OptionRows } from './row.ts';

export const loggingOptions = {
  LogConsumeEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    group: 'logging',
    summary: 'Writes a log row for every call; the dashboard counts these rows.',
  },
  LogChatContentEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'logging',
    summary: 'Stores prompts and answers with the log rows.',
  },
  LogErrorEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'logging',
    summary: 'Writes a log row for every failed attempt.',
  },
  FailedCallDays: {
    type: 'int',
    fallback: '7',
    role: 10,
    group: 'logging',
    min: 0,
    max: 90,
    summary: 'Days for which calls that failed can be explained; 0 records none.',
  },
  LogRetentionDays: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'logging',
    min: 0,
    max: 36500,
    summary: 'Days after which log rows are deleted; 0 keeps them.',
  },
  LogArchiveEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'logging',
    summary: 'Writes log rows into archive files before LogRetentionDays deletes them.',
  },
  LogClearRootOnly: {
    type: 'bool',
    fallback: 'false',
    role: 100,
    group: 'logging',
    summary: 'Lets only super admins delete log rows.',
  },
  DataExportEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    group: 'logging',
    public: true,
    summary: 'Collects the figures of the data dashboard and shows it.',
  },
  DataExportInterval: {
    type: 'int',
    fallback: '5',
    role: 10,
    group: 'logging',
    min: 1,
    summary: 'Minutes between two updates of the dashboard figures.',
  },
  DataExportDefaultTime: {
    type: 'choice',
    fallback: 'hour',
    role: 10,
    group: 'logging',
    public: true,
    choices: ['hour', 'day', 'week'],
    summary: "Step of the dashboard's charts at first sight.",
  },
} as const satisfies OptionRows;
