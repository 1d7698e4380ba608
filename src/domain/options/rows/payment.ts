/** Options for online top-ups. Payment account and keys are restricted to the super admin. */
import { baseAddress } from '../checks.ts';
import type { OptionRows } from '../row.ts';

export const paymentOptions = {
  PayAddress: {
    type: 'text',
    fallback: '',
    role: 100,
    form: 'address',
    check: baseAddress,
    summary: 'Address of the Epay payment gateway.',
  },
  EpayId: {
    type: 'text',
    fallback: '',
    role: 100,
    form: 'line',
    summary: 'Merchant id at the payment gateway.',
  },
  EpayKey: {
    type: 'text',
    fallback: '',
    role: 100,
    secret: true,
    form: 'line',
    summary: 'Merchant key; it signs orders and payment notices.',
  },
  CustomCallbackAddress: {
    type: 'text',
    fallback: '',
    role: 100,
    form: 'address',
    check: baseAddress,
    summary: 'Address for payment notices; if empty, the server address is used.',
  },
  Price: {
    type: 'number',
    fallback: '7.3',
    role: 10,
    public: true,
    min: 0,
    summary: 'Amount in the local currency for one US dollar of quota.',
  },
  MinTopUp: {
    type: 'int',
    fallback: '1',
    role: 10,
    public: true,
    min: 0,
    summary: 'Smallest amount of a top-up, in US dollars of quota.',
  },
  MaxTopUp: {
    type: 'int',
    fallback: '10000',
    role: 10,
    min: 1,
    max: 1_000_000,
    summary: 'Largest amount of a top-up, in US dollars of quota.',
  },
  TopupGroupRatio: {
    type: 'json',
    fallback: '{"default":1,"vip":1,"svip":1}',
    role: 10,
    shape: 'group_ratios',
    summary: 'Ratio for the price of a top-up, by group.',
  },
  TopUpLink: {
    type: 'text',
    fallback: '',
    role: 100,
    public: true,
    form: 'line',
    check: baseAddress,
    summary: 'Address of a shop for redemption codes; if empty, the link is hidden.',
  },
} as const satisfies OptionRows;
