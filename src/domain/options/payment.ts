/**
 * Options for online top-ups. The payment account and the keys that confirm payments are restricted
 * to the super admin.
 */
import { webAddress } from './checks.ts';
import type { OptionRows } from './row.ts';

export const paymentOptions = {
  PayAddress: {
    type: 'text',
    fallback: '',
    role: 100,
    group: 'payment',
    form: 'address',
    check: webAddress,
    summary: 'Address of the Epay payment gateway.',
  },
  EpayId: {
    type: 'text',
    fallback: '',
    role: 100,
    group: 'payment',
    form: 'line',
    summary: 'Merchant id at the payment gateway.',
  },
  EpayKey: {
    type: 'text',
    fallback: '',
    role: 100,
    group: 'payment',
    secret: true,
    form: 'line',
    summary: 'Merchant key: signs orders and payment notices.',
  },
  CustomCallbackAddress: {
    type: 'text',
    fallback: '',
    role: 100,
    group: 'payment',
    form: 'address',
    check: webAddress,
    summary: 'Address for payment notices when it is not the server address.',
  },
  Price: {
    type: 'number',
    fallback: '7.3',
    role: 10,
    group: 'payment',
    public: true,
    min: 0,
    summary: 'Currency a user pays for one US dollar of quota.',
  },
  MinTopUp: {
    type: 'int',
    fallback: '1',
    role: 10,
    group: 'payment',
    public: true,
    min: 0,
    summary: 'Smallest top-up, in US dollars of quota.',
  },
  MaxTopUp: {
    type: 'int',
    fallback: '10000',
    role: 10,
    group: 'payment',
    min: 1,
    max: 1_000_000,
    summary: 'Largest single top-up, in US dollars of quota.',
  },
  TopupGroupRatio: {
    type: 'json',
    fallback: '{"default":1,"vip":1,"svip":1}',
    role: 10,
    group: 'payment',
    shape: 'group_ratios',
    summary: 'Factor on the price of a top-up, by group.',
  },
  TopUpLink: {
    type: 'text',
    fallback: '',
    role: 100,
    group: 'payment',
    public: true,
    form: 'line',
    check: webAddress,
    summary: 'Address where codes are sold; empty hides the link.',
  },
} as const satisfies OptionRows;
