/** Site modes. They change what every user may do, so they are restricted to the super admin. */
import type { OptionRows } from '../row.ts';

export const modeOptions = {
  SelfUseModeEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 100,
    public: true,
    summary: 'For one person: registration is off, and models without a price can be called.',
  },
  DemoSiteEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 100,
    public: true,
    summary:
      "For demonstration: refuses writes outside the user's account, except to switch this off.",
  },
} as const satisfies OptionRows;
