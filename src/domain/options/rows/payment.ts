/** Options for online top-ups. Payment account and keys are restricted to the super admin. */
import { baseAddress } from '../checks.ts';
import type { OptionRows } from '../row.ts';
import { ADDRESS, COUNT, JSON_VALUE, LINE, SECRET } from '../row-bases.ts';

export const paymentOptions = {
  PayAddress: { ...ADDRESS, check: baseAddress },
  EpayId: { ...LINE, role: 100 },
  EpayKey: SECRET,
  CustomCallbackAddress: { ...ADDRESS, check: baseAddress },
  Price: { type: 'number', fallback: '7.3', role: 10, public: true, min: 0 },
  MinTopUp: { ...COUNT, fallback: '1', public: true },
  MaxTopUp: { ...COUNT, fallback: '10000', min: 1, max: 1_000_000 },
  TopupGroupRatio: {
    ...JSON_VALUE,
    fallback: '{"default":1,"vip":1,"svip":1}',
    shape: 'group_ratios',
  },
  TopUpLink: { ...LINE, role: 100, public: true, check: baseAddress },
} as const satisfies OptionRows;
