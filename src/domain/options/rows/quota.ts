/** Options for the quota unit and all amounts the gateway grants. Amounts are quota units. */
import type { OptionRows } from '../row.ts';

/** Quota units of one grant. A new account may receive two, far below the maximum (2^53 - 1). */
const LARGEST_GRANT = 1e15;

export const quotaOptions = {
  QuotaPerUnit: { type: 'number', fallback: '500000', role: 10, public: true, min: 1 },
  QuotaForNewUser: { type: 'int', fallback: '0', role: 10, min: 0, max: LARGEST_GRANT },
  PreConsumedQuota: { type: 'int', fallback: '0', role: 10, min: 0 },
  MissingMaxTokens: {
    type: 'choice',
    fallback: 'lower',
    role: 10,
    choices: ['lower', 'refuse', 'trust'],
    renamed: { cap: 'lower' },
  },
  AffEnabled: { type: 'bool', fallback: 'true', role: 10, public: true },
  QuotaForInviter: { type: 'int', fallback: '0', role: 10, min: 0, max: LARGEST_GRANT },
  QuotaForInvitee: { type: 'int', fallback: '0', role: 10, min: 0, max: LARGEST_GRANT },
  RebateEnabled: { type: 'bool', fallback: 'false', role: 10 },
  RebatePercentage: {
    type: 'number',
    fallback: '0',
    role: 10,
    min: 0,
    max: 100,
    boundWhile: 'RebateEnabled',
  },
  RebateOnGiftCodes: { type: 'bool', fallback: 'false', role: 10 },
  CheckInEnabled: { type: 'bool', fallback: 'false', role: 10, public: true },
  CheckInQuota: { type: 'int', fallback: '1000', role: 10, min: 0, max: LARGEST_GRANT },
  CheckInMaxQuota: { type: 'int', fallback: '0', role: 10, min: 0, max: LARGEST_GRANT },
} as const satisfies OptionRows;
