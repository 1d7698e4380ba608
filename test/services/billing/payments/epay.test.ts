import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { OptionValues } from '../../../../src/domain/options/registry.ts';
import { epay, signatureOf } from '../../../../src/services/billing/payments/epay.ts';

const STORED = new Map([
  ['PayAddress', 'https://pay.example/gate/'],
  ['EpayId', '1001'],
  ['EpayKey', 'merchant-key'],
  ['ServerAddress', 'https://ai.example'],
]);
const options = new OptionValues(STORED);
const ORDER = { tradeNo: 'USR7NOabc1', method: 'zfb', amount: 10, money: '65.70' };
const NOTICE = {
  pid: '1001',
  trade_no: '2026112100001',
  out_trade_no: 'USR7NOabc1',
  type: 'alipay',
  name: 'TUC10',
  money: '65.70',
  trade_status: 'TRADE_SUCCESS',
  param: '',
};

function signed(fields: Readonly<Record<string, string>>, key = 'merchant-key') {
  return { ...fields, sign: signatureOf(fields, key), sign_type: 'MD5' };
}

describe('the Epay protocol', () => {
  it('signs sorted non-empty fields, unescaped, with the key appended', () => {
    const fields = { b: '2 &=', a: '1', B: '0', empty: '', sign: 'x', sign_type: 'MD5' };
    const expected = createHash('md5').update('B=0&a=1&b=2 &=merchant-key').digest('hex');
    expect(signatureOf(fields, 'merchant-key')).toBe(expected);
  });

  it('refuses an ambiguous value', () => {
    const { name, out_trade_no, ...rest }: Record<string, string> = signed(NOTICE);
    const forged = {
      ...rest,
      out_trade_no: 'another',
      name: `${name}&out_trade_no=${out_trade_no}`,
    };
    expect(epay.readNotification(options, signed({ ...NOTICE, param: 'a&b' }))).toBeDefined();
    expect(epay.readNotification(options, signed({ ...NOTICE, param: 'a&b=c' }))).toBeUndefined();
    expect(epay.readNotification(options, forged)).toBeUndefined();
  });

  it('creates a form that leads to the payment page and back', () => {
    const { url, fields } = epay.checkout(options, ORDER);
    expect(url).toBe('https://pay.example/gate/submit.php');
    const { sign, ...rest } = fields;
    expect(rest).toEqual({
      pid: '1001',
      type: 'alipay',
      out_trade_no: 'USR7NOabc1',
      notify_url: 'https://ai.example/api/user/epay/notify',
      name: 'TUC10',
      money: '65.70',
      device: 'pc',
      sign_type: 'MD5',
      return_url: 'https://ai.example/app/wallet',
    });
    expect(sign).toBe(signatureOf(fields, 'merchant-key'));
    expect(epay.checkout(options, { ...ORDER, method: 'wx' }).fields.type).toBe('wxpay');
  });

  it.each([
    ['https://pay.example/gate/submit.php', 'https://ai.example/api/user/epay/notify'],
    ['https://pay.example/gate/submit.php/', 'https://ai.example/api/user/epay/notify/'],
  ])('appends no path to %s that it already has', (PayAddress, CustomCallbackAddress) => {
    const copied = { PayAddress, CustomCallbackAddress };
    const stored = new Map([...STORED, ...Object.entries(copied)]);
    const { url, fields } = epay.checkout(new OptionValues(stored), ORDER);
    expect(url).toBe('https://pay.example/gate/submit.php');
    expect(fields.notify_url).toBe('https://ai.example/api/user/epay/notify');
  });

  it('reads a notification without the address, but not without id or key', () => {
    const without = (key: string) => new OptionValues(new Map([...STORED, [key, '']]));
    expect(epay.readNotification(without('PayAddress'), signed(NOTICE))).toBeDefined();
    expect(epay.readNotification(without('EpayId'), signed(NOTICE))).toBeUndefined();
    expect(epay.readNotification(without('EpayKey'), signed(NOTICE, ''))).toBeUndefined();
  });

  it('requires address, id and key', () => {
    expect(epay.isReady(options)).toBe(true);
    for (const key of ['PayAddress', 'EpayId', 'EpayKey']) {
      const stored = new Map(
        ['PayAddress', 'EpayId', 'EpayKey'].map((name) => [name, 'https://x.example']),
      );
      stored.set(key, '');
      expect(epay.isReady(new OptionValues(stored))).toBe(false);
    }
  });

  it('reads a genuine notification', () => {
    expect(epay.readNotification(options, signed(NOTICE))).toEqual({
      tradeNo: 'USR7NOabc1',
      cents: 6570,
      isPaid: true,
    });
    const upper = { ...signed(NOTICE), sign: signed(NOTICE).sign.toUpperCase() };
    expect(epay.readNotification(options, upper)).toMatchObject({ isPaid: true });
    const waiting = signed({ ...NOTICE, trade_status: 'WAIT_BUYER_PAY' });
    expect(epay.readNotification(options, waiting)).toMatchObject({ isPaid: false });
  });

  it.each([
    ['65.7', 6570],
    ['65.700', 6570],
    ['65', 6500],
    ['65.701', undefined],
    ['-65.70', undefined],
    ['65,70', undefined],
    ['', undefined],
    ['1e3', undefined],
  ])('reads the amount %s', (money, cents) => {
    expect(epay.readNotification(options, signed({ ...NOTICE, money }))?.cents).toBe(cents);
  });

  it.each<[string, Record<string, unknown>]>([
    ['altered money', { ...signed(NOTICE), money: '0.01' }],
    ['an added field', { ...signed(NOTICE), extra: '1' }],
    ['another key', signed(NOTICE, 'another-key')],
    ['no key', signed(NOTICE, '')],
    ['no signature', { ...NOTICE, sign_type: 'MD5' }],
    ['an empty signature', { ...signed(NOTICE), sign: '' }],
    ['another merchant', signed({ ...NOTICE, pid: '1002' })],
    ['another kind of signature', { ...signed(NOTICE), sign_type: 'RSA' }],
    ['a field twice', { ...signed(NOTICE), money: ['65.70', '0.01'] }],
    ['no order', signed({ ...NOTICE, out_trade_no: '' })],
  ])('refuses a notification with %s', (_what, notice) => {
    expect(epay.readNotification(options, notice)).toBeUndefined();
  });
});
