/** Options of image and music tasks. */
import type { OptionRows } from '../row.ts';

export const drawingOptions = {
  DrawingEnabled: { type: 'bool', fallback: 'true', role: 10, public: true },
  TaskEnabled: { type: 'bool', fallback: 'true', role: 10, public: true },
  MjNotifyEnabled: { type: 'bool', fallback: 'false', role: 10, public: true },
  MjAccountFilterEnabled: { type: 'bool', fallback: 'false', role: 10 },
  MjModeClearEnabled: { type: 'bool', fallback: 'false', role: 10 },
  MjForwardUrlEnabled: { type: 'bool', fallback: 'true', role: 10 },
  MjActionCheckSuccessEnabled: { type: 'bool', fallback: 'true', role: 10 },
} as const satisfies OptionRows;
