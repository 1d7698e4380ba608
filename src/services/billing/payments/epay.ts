/**
 * The Epay protocol of many payment gateways: a signed form leads to the payment page, and a
 * request with the same kind of signature confirms the payment. The signature is the MD5 of the
 * sorted fields and the merchant key; it is weak, but the protocol has no other.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { OptionValues } from '../../../domain/options/registry.ts';
import type { PaymentProvider } from './payment-method.ts';

/** The gateway's method names -> the protocol's. */
const TYPES: Readonly<Record<string, string>> = { zfb: 'alipay', wx: 'wxpay' };

const NOTIFY_PATH = '/api/user/epay/notify';
const FORM_PATH = '/submit.php';
const PAID = 'TRADE_SUCCESS';

export const epay: PaymentProvider = {
  provider: 'epay',
  methods: Object.keys(TYPES),
  responses: { accepted: 'success', rejected: 'fail' },

  isReady: (options) =>
    options.get('PayAddress') !== '' && options.get('EpayId') !== '' && merchantKey(options) !== '',

  checkout(options, { tradeNo, method, amount, money }) {
    const site = addressOf(options.get('ServerAddress'));
    const callback = addressOf(options.get('CustomCallbackAddress'), NOTIFY_PATH) || site;
    const fields = {
      pid: options.get('EpayId'),
      type: TYPES[method] ?? '',
      out_trade_no: tradeNo,
      notify_url: `${callback}${NOTIFY_PATH}`,
      name: `TUC${amount}`,
      money,
      device: 'pc',
      sign_type: 'MD5',
      return_url: `${site}/app/wallet`,
    };
    return {
      url: `${addressOf(options.get('PayAddress'), FORM_PATH)}${FORM_PATH}`,
      fields: { ...fields, sign: signatureOf(fields, merchantKey(options)) },
    };
  },

  readNotification(options, params) {
    const fields = textFields(params);
    // Anyone can sign with an empty key.
    if (fields === undefined || !options.get('EpayId') || !merchantKey(options)) return undefined;
    const { sign = '', sign_type = 'MD5', pid, out_trade_no, money, trade_status } = fields;
    const isGenuine =
      sign_type.toUpperCase() === 'MD5' &&
      isSame(sign.toLowerCase(), signatureOf(fields, merchantKey(options))) &&
      pid === options.get('EpayId');
    if (!isGenuine || !out_trade_no) return undefined;
    return { tradeNo: out_trade_no, cents: centsOf(money ?? ''), isPaid: trade_status === PAID };
  },
};

function merchantKey(options: OptionValues): string {
  return options.get('EpayKey');
}

/** Without the path that follows it, which some operators copy as well. */
function addressOf(text: string, path = ''): string {
  const address = text.replace(/\/+$/, '');
  return address.endsWith(path) ? address.slice(0, address.length - path.length) : address;
}

/** A value that contains another field: in the joined string it cannot be told from two fields. */
const HOLDS_A_FIELD = /&[^&=]*=/;

/**
 * Undefined when a name occurs twice, or a value could be read as two fields, as it is then unclear
 * which was signed.
 */
function textFields(params: Readonly<Record<string, unknown>>): Record<string, string> | undefined {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) {
    if (typeof value !== 'string' || HOLDS_A_FIELD.test(value)) return undefined;
    fields[name] = value;
  }
  return fields;
}

/** Signs all non-empty fields except the signature's own, in byte order of their names. */
export function signatureOf(fields: Readonly<Record<string, string>>, key: string): string {
  const text = Object.entries(fields)
    .filter(([name, value]) => name !== 'sign' && name !== 'sign_type' && value !== '')
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return createHash('md5').update(`${text}${key}`).digest('hex');
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** `65.7`, `65.70` and `65.700` are the same amount; fractions of a hundredth are invalid. */
function centsOf(money: string): number | undefined {
  const [, whole, fraction = ''] = /^(\d{1,13})(?:\.(\d{1,2})0*)?$/.exec(money) ?? [];
  return whole === undefined ? undefined : Number(whole + fraction.padEnd(2, '0'));
}
