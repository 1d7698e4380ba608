/** Site modes. They change what every user may do, so they are restricted to the super admin. */
import type { OptionRows } from '../row.ts';

export const modeOptions = {
  SelfUseModeEnabled: { type: 'bool', fallback: 'false', role: 100, public: true },
  DemoSiteEnabled: { type: 'bool', fallback: 'false', role: 100, public: true },
} as const satisfies OptionRows;
