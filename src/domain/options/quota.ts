/** Options for the quota unit and all amounts the gateway grants. Amounts are quota units. */
import type { OptionRows } from './row.ts';

/**
 * Quota units of one grant. Two of them, which a new account may receive, stay far below the
 * maximum balance (2^53 - 1).
 */
const LARGEST_GRANT = 1e15;

export const quotaOptions = {
  QuotaPerUnit: {
    type: 'number',
    fallback: '500000',
    role: 10,
    group: 'quota',
    public: true,
    min: 1,
    summary: 'Quota units in one US dollar; changing it revalues every balance.',
  },
  QuotaForNewUser: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'quota',
    min: 0,
    max: LARGEST_GRANT,
    summary: 'Quota granted to a new account.',
  },
  PreConsumedQuota: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'quota',
    min: 0,
    summary: 'Tokens held for an answer without max_tokens, if MissingMaxTokens is trust.',
  },
  MissingMaxTokens: {
    type: 'choice',
    fallback: 'cap',
    role: 10,
    group: 'quota',
    choices: ['cap', 'refuse', 'trust'],
    summary: 'What happens to a call without max_tokens if the balance is short for its answer.',
  },
  AffEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    group: 'quota',
    public: true,
    summary: 'Turns on invitations: codes, rewards and transfers.',
  },
  QuotaForInviter: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'quota',
    min: 0,
    max: LARGEST_GRANT,
    summary: 'Reward of the inviter for each new account.',
  },
  QuotaForInvitee: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'quota',
    min: 0,
    max: LARGEST_GRANT,
    summary: 'Extra quota of an account that came by invitation.',
  },
  RebateEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'quota',
    summary: "Gives inviters a share of their invitees' top-ups.",
  },
  RebatePercentage: {
    type: 'number',
    fallback: '0',
    role: 10,
    group: 'quota',
    min: 0,
    max: 100,
    summary: "The inviter's share of a top-up, in percent.",
  },
  RebateOnGiftCodes: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'quota',
    summary: 'Pays the rebate on gift codes too.',
  },
  CheckInEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'quota',
    public: true,
    summary: 'Lets users check in once a day for quota.',
  },
  CheckInQuota: {
    type: 'int',
    fallback: '1000',
    role: 10,
    group: 'quota',
    min: 0,
    max: LARGEST_GRANT,
    summary: 'Quota of a check-in; the lower bound when a maximum is set.',
  },
  CheckInMaxQuota: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'quota',
    min: 0,
    max: LARGEST_GRANT,
    summary: 'Upper bound of a random check-in reward; 0 means a fixed one.',
  },
} as const satisfies OptionRows;
