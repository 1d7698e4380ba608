/** Signatures of AWS requests, payments and webhooks detect every change of signed data. */
import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { OptionValues } from '../../../src/domain/options/registry.ts';
import { signedHeaders } from '../../../src/providers/transports/sigv4.ts';
import { createSecrets } from '../../../src/secrets.ts';
import { epay } from '../../../src/services/billing/payments/epay.ts';
import { hiddenId, rowIdOf } from '../../../src/services/logs/hidden-ids.ts';
import { webhookAuthHeaders } from '../../../src/services/messaging/notify/notification.ts';
import { holds } from './holds.ts';
import { anyText, damaged, outcomeOf } from './pieces.ts';

const visible = fc
  .string({ minLength: 1, maxLength: 24 })
  .map((text) => text.replace(/[^\x21-\x7e]/g, 'x'));
const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
  .filter((text) => text.isWellFormed() && text !== '.' && text !== '..');
/** Names with a common prefix: the text after the shorter one must not affect the order. */
const queryName = fc.oneof(segment, fc.constantFrom('a', 'a-b', 'a.b', 'a b', 'a0', 'A'));
const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
  path: fc.array(segment, { maxLength: 4 }),
  query: fc.uniqueArray(fc.tuple(queryName, segment), { maxLength: 4, selector: ([name]) => name }),
  body: fc.string({ unit: 'grapheme', maxLength: 40 }),
  extra: fc.dictionary(fc.stringMatching(/^x-[a-z]{1,8}$/), visible, { maxKeys: 3 }),
  atMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  region: fc.constantFrom('us-east-1', 'eu-central-1', 'ap-southeast-2'),
  key: fc.record({ accessKeyId: visible, secretKey: visible }),
  session: fc.option(visible, { nil: undefined }),
});
const encode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

type RequestFields = typeof request extends fc.Arbitrary<infer T> ? T : never;

function signed(given: RequestFields): Readonly<Record<string, string>> {
  const path = `/${given.path.map(encode).join('/')}`;
  const query = given.query.map((pair) => pair.map(encode).join('=')).join('&');
  const { key, session, region } = given;
  return signedHeaders(
    { ...key, ...(session !== undefined && { sessionToken: session }) },
    { region, service: 'bedrock' },
    {
      method: given.method,
      host: `bedrock-runtime.${region}.amazonaws.com`,
      path: query === '' ? path : `${path}?${query}`,
      headers: given.extra,
      bodySha256: createHash('sha256').update(given.body).digest('hex'),
      atMs: given.atMs,
    },
  );
}

holds(
  'no other request has the same signature',
  fc.property(
    request,
    request,
    fc.constantFrom('method', 'path', 'query', 'body', 'extra', 'region'),
    (one, other, part) => {
      const changed = { ...one, [part]: other[part] };
      const isSame = JSON.stringify(changed) === JSON.stringify(one);
      // Query order is irrelevant, and headers that differ only in blanks are equal.
      fc.pre(
        isSame ||
          part !== 'query' ||
          JSON.stringify([...one.query].sort()) !== JSON.stringify([...other.query].sort()),
      );
      expect(signed(changed).authorization === signed(one).authorization).toBe(isSame);
    },
  ),
  { runs: 200 },
);

const KEY = 'merchant-key';
const OPTIONS = new OptionValues(
  new Map([
    ['PayAddress', 'https://pay.example/'],
    ['EpayId', '1001'],
    ['EpayKey', KEY],
    ['ServerAddress', 'https://ai.example'],
  ]),
);
const word = fc
  .oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), anyText)
  .map((text) => text.toWellFormed().replaceAll('&', ''));
const notice = fc.record({
  trade_no: word,
  out_trade_no: word.filter((text) => text !== ''),
  name: word,
  money: fc.constantFrom('1', '65.70', '0.01', '-1', '1e3', ''),
  trade_status: fc.constantFrom('TRADE_SUCCESS', 'TRADE_CLOSED', ''),
  param: word,
  more: fc.dictionary(
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
      .map((text) => `x${text.replace(/[&=]/g, '')}`),
    word,
    { maxKeys: 3, noNullPrototype: true },
  ),
});

/** An independent implementation of the protocol's signature. */
function sign(fields: Readonly<Record<string, string>>): Record<string, string> {
  const names = Object.keys(fields).filter((one) => fields[one] !== '');
  const ordered = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const text = ordered.map((one) => `${one}=${fields[one]}`).join('&');
  return {
    ...fields,
    sign: createHash('md5')
      .update(text + KEY)
      .digest('hex'),
    sign_type: 'MD5',
  };
}

/** The cents of each valid amount. */
const CENTS: ReadonlyMap<string, number> = new Map([
  ['1', 100],
  ['65.70', 6570],
  ['0.01', 1],
]);

holds(
  'a signed notice is understood, with its fields in any order',
  fc.property(notice, fc.boolean(), ({ more, ...own }, backwards) => {
    const entries = Object.entries(sign({ pid: '1001', ...own, ...more }));
    const params = Object.fromEntries(backwards ? entries.toReversed() : entries);
    const received = epay.readNotification(OPTIONS, params);
    expect(received?.tradeNo).toBe(own.out_trade_no);
    expect(received?.isPaid).toBe(own.trade_status === 'TRADE_SUCCESS');
    expect(received?.cents).toBe(CENTS.get(own.money));
  }),
  { runs: 200 },
);

holds(
  'any change of a signed notice is refused',
  fc.property(
    notice,
    fc.constantFrom(
      'trade_no',
      'out_trade_no',
      'name',
      'money',
      'trade_status',
      'param',
      'pid',
      'sign',
      'added',
    ),
    word.filter((text) => text !== ''),
    ({ more, ...own }, field, value) => {
      const params = sign({ pid: '1001', ...own, ...more });
      fc.pre(params[field] !== value && params[field]?.toLowerCase() !== value.toLowerCase());
      expect(epay.readNotification(OPTIONS, { ...params, [field]: value })).toBeUndefined();
      if (params[field] !== '' && params[field] !== undefined)
        expect(epay.readNotification(OPTIONS, { ...params, [field]: '' })).toBeUndefined();
      expect(epay.readNotification(OPTIONS, { ...params, [field]: [value] })).toBeUndefined();
    },
  ),
  { runs: 200 },
);

holds(
  'fields that are cut elsewhere do not pass for the ones that were signed',
  fc.property(notice, ({ more, ...own }) => {
    const { sign: proof = '', sign_type: _, ...fields } = sign({ pid: '1001', ...own, ...more });
    const set = Object.entries(fields)
      .filter(([, value]) => value !== '')
      .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (let at = 0; at + 1 < set.length; at += 1) {
      const [head, tail] = [set[at], set[at + 1]];
      if (head === undefined || tail === undefined) continue;
      const merged = [head[0], `${head[1]}&${tail[0]}=${tail[1]}`];
      const others = set.filter((_entry, index) => index !== at && index !== at + 1);
      const forged = Object.fromEntries([...others, merged, ['sign', proof]]);
      expect(epay.readNotification(OPTIONS, forged)).toBeUndefined();
    }
  }),
);

holds(
  'a webhook’s proof is the keyed hash of its very body',
  fc.property(
    anyText.filter((text) => text !== ''),
    anyText,
    (secret, body) => {
      const proof = Object.values(webhookAuthHeaders(secret, body)).join(' ');
      expect(proof).toContain(createHmac('sha256', secret).update(body).digest('hex'));
    },
  ),
);

const secrets = createSecrets(Buffer.alloc(32, 'a test key '));
const foreign = createSecrets(Buffer.alloc(32, 'another key '));

holds(
  'what is sealed opens with its own key, unchanged, and with nothing else',
  fc.property(anyText, (text) => {
    const sealed = secrets.encrypt(text);
    expect(secrets.decrypt(sealed)).toBe(text.toWellFormed());
    expect(secrets.encrypt(text)).not.toBe(sealed);
    expect(outcomeOf(() => foreign.decrypt(sealed))).toEqual({ refused: 'secret_key_wrong' });
  }),
);

holds(
  'a sealed text that was damaged opens as nothing',
  fc.property(
    anyText.chain((text) => {
      const bytes = Buffer.from(secrets.encrypt(text).slice(3), 'base64');
      return fc.tuple(fc.constant(bytes), damaged(fc.constant(bytes)));
    }),
    ([bytes, changed]) => {
      fc.pre(!bytes.equals(changed));
      const text = `v1:${changed.toString('base64')}`;
      expect(outcomeOf(() => secrets.decrypt(text))).toEqual({ refused: 'secret_key_wrong' });
      expect(outcomeOf(() => secrets.decrypt(changed.toString('latin1')))).toEqual({
        refused: 'secret_key_wrong',
      });
    },
  ),
);

holds(
  'a hidden id leads back to its row and to no other table',
  fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (id) => {
    const hidden = hiddenId(secrets, 'task', id);
    expect(Number.isSafeInteger(hidden)).toBe(true);
    expect(rowIdOf(secrets, 'task', hidden)).toBe(id);
    expect(hiddenId(secrets, 'drawing', id)).not.toBe(hidden);
  }),
);
