/** Options for the quota unit and all amounts the gateway grants. Amounts are quota units. */
import type { OptionRows } from '../row.ts';

/** Quota units of one grant. A new account may receive two, far below the maximum (2^53 - 1). */
const LARGEST_GRANT = 1e15;

export const quotaOptions = {
  QuotaPerUnit: {
    type: 'number',
    fallback: '500000',
    role: 10,
    public: true,
    min: 1,
    summary: 'Quota units in one US dollar; a change alters the value of every balance.',
  },
  QuotaForNewUser: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    max: LARGEST_GRANT,
    summary: 'Quota granted to a new account.',
  },
  PreConsumedQuota: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    summary:
      'Tokens to hold for the answer of a call without max_tokens, if MissingMaxTokens is trust.',
  },
  MissingMaxTokens: {
    type: 'choice',
    fallback: 'lower',
    role: 10,
    choices: ['lower', 'refuse', 'trust'],
    renamed: { cap: 'lower' },
    summary: 'Handling of calls whose longest answer the balance does not cover.',
  },
  AffEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    public: true,
    summary: 'Turns on invitations: invite codes, rewards and transfers.',
  },
  QuotaForInviter: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    max: LARGEST_GRANT,
    summary: 'Reward of the inviter for each new account.',
  },
  QuotaForInvitee: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    max: LARGEST_GRANT,
    summary: 'Extra quota for an account that registers by invitation.',
  },
  RebateEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Grants inviters a rebate when users they invited top up.',
  },
  RebatePercentage: {
    type: 'number',
    fallback: '0',
    role: 10,
    min: 0,
    max: 100,
    boundWhile: 'RebateEnabled',
    summary: 'Rebate in percent of a top-up.',
  },
  RebateOnGiftCodes: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Also grants the rebate for gift codes.',
  },
  CheckInEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    public: true,
    summary: 'Lets users claim quota with a daily check-in.',
  },
  CheckInQuota: {
    type: 'int',
    fallback: '1000',
    role: 10,
    min: 0,
    max: LARGEST_GRANT,
    summary: 'Quota of a check-in; the lower bound if a maximum is set.',
  },
  CheckInMaxQuota: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    max: LARGEST_GRANT,
    summary: 'Upper bound of a random check-in reward; 0 means a fixed reward.',
  },
} as const satisfies OptionRows;
