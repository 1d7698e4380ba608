/** Site modes. They change what every user may do, so they are restricted to the super admin. */
import type { OptionRows } from './row.ts';

export const modeOptions = {
  SelfUseModeEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 100,
    group: 'modes',
    public: true,
    summary: 'For one person: no registration, and models without a price may be called.',
  },
  DemoSiteEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 100,
    group: 'modes',
    public: true,
    summary:
      "For showing: writes outside one's own account are refused, except switching this off.",
  },
} as const satisfies OptionRows;
