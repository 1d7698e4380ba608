/** Options of image and music tasks. */
import type { OptionRows } from '../row.ts';

export const drawingOptions = {
  DrawingEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    public: true,
    summary: 'Shows the image task logs in the console.',
  },
  TaskEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    public: true,
    summary: 'Shows the task logs in the console.',
  },
  MjNotifyEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    public: true,
    summary: 'Allows callbacks in image tasks; the upstream receives the address of this server.',
  },
  MjAccountFilterEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Lets callers choose the account at the upstream for image tasks.',
  },
  MjModeClearEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Removes --fast, --relax and --turbo from the prompts of image tasks.',
  },
  MjForwardUrlEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    summary: 'Serves the images of image tasks through this gateway.',
  },
  MjActionCheckSuccessEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    summary: 'Allows follow-up actions only on finished image tasks.',
  },
} as const satisfies OptionRows;
