/** Options of image and music tasks. */
import type { OptionRows } from './row.ts';

export const drawingOptions = {
  DrawingEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    group: 'drawing',
    public: true,
    summary: 'Shows the drawing log in the console.',
  },
  TaskEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    group: 'drawing',
    public: true,
    summary: 'Shows the task log in the console.',
  },
  MjNotifyEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'drawing',
    public: true,
    summary: "Lets drawing tasks carry a callback; tells the upstream this server's address.",
  },
  MjAccountFilterEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'drawing',
    summary: "Lets callers choose the upstream's drawing account.",
  },
  MjModeClearEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'drawing',
    summary: 'Removes --fast, --relax and --turbo from drawing prompts.',
  },
  MjForwardUrlEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    group: 'drawing',
    summary: 'Serves drawn images through this gateway.',
  },
  MjActionCheckSuccessEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    group: 'drawing',
    summary: 'Allows follow-up actions on finished drawings only.',
  },
} as const satisfies OptionRows;
