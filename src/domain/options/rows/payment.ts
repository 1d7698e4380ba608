/** Options for online top-ups. Payment account and keys are restricted to the super admin. */
import { baseAddress } from '../checks.ts';
import type { OptionRows } from '../row.ts';

export const paymentOptions = {
  PayAddress: { type: 'text', fallback: '', role: 100, form: 'address', check: baseAddress },
  EpayId: { type: 'text', fallback: '', role: 100, form: 'line' },
  EpayKey: { type: 'text', fallback: '', role: 100, secret: true, form: 'line' },
  CustomCallbackAddress: {
    type: 'text',
    fallback: '',
    role: 100,
    form: 'address',
    check: baseAddress,
  },
  Price: { type: 'number', fallback: '7.3', role: 10, public: true, min: 0 },
  MinTopUp: { type: 'int', fallback: '1', role: 10, public: true, min: 0 },
  MaxTopUp: { type: 'int', fallback: '10000', role: 10, min: 1, max: 1_000_000 },
  TopupGroupRatio: {
    type: 'json',
    fallback: '{"default":1,"vip":1,"svip":1}',
    role: 10,
    shape: 'group_ratios',
  },
  TopUpLink: {
    type: 'text',
    fallback: '',
    role: 100,
    public: true,
    form: 'line',
    check: baseAddress,
  },
} as const satisfies OptionRows;
