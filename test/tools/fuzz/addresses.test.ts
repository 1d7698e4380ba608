/** Address checks: no private address in any notation, no forged client IP, no other host. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { expect } from 'vitest';
import { addressRanges, isInRanges } from '../../../src/domain/addresses/address-ranges.ts';
import {
  addressIn,
  isPublicAddress,
  readWebUrl,
} from '../../../src/domain/addresses/public-address.ts';
import { REVERSE_PROXIES } from '../../../src/domain/reverse-proxies.ts';
import { joinUrl } from '../../../src/providers/requests/upstream-url.ts';
import { clientAddress, proxyTrust } from '../../../src/server/request/client-address.ts';
import { holds } from './holds.ts';
import { anyText, outcomeOf } from './pieces.ts';

/** IANA's special-purpose registries, and prefixes that translate to IPv4. */
const FORBIDDEN = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const range of [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
].flatMap((line) => line.split(' '))) {
  const [address = '', bits] = range.split('/');
  FORBIDDEN.ipv4.addSubnet(address, Number(bits), 'ipv4');
}
for (const range of [
  '::/128 ::1/128 ::ffff:0:0/96 ::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/32 2001:2::/48 2001:db8::/32',
  '2002::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8 3fff::/20',
].flatMap((line) => line.split(' '))) {
  const [address = '', bits] = range.split('/');
  FORBIDDEN.ipv6.addSubnet(address, Number(bits), 'ipv6');
}

const isForbidden = (address: string) =>
  isIPv4(address) ? FORBIDDEN.ipv4.check(address, 'ipv4') : FORBIDDEN.ipv6.check(address, 'ipv6');

/** Addresses near the edges of the ranges, and arbitrary ones. */
const v4Number = fc.oneof(
  fc.integer({ min: 0, max: 0xffffffff }),
  fc
    .tuple(
      fc.constantFrom(
        '0.0.0.0',
        '10.0.0.0',
        '100.64.0.0',
        '127.0.0.0',
        '169.254.0.0',
        '172.16.0.0',
        '192.168.0.0',
        '224.0.0.0',
        '100.128.0.0',
        '172.32.0.0',
        '11.0.0.0',
        '128.0.0.0',
      ),
      fc.integer({ min: -2, max: 2 }),
    )
    .map(([base, by]) => (numberOf(base) + by) >>> 0),
);

function numberOf(dotted: string): number {
  return dotted.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

const octets = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
const dotted = (value: number) => octets(value).join('.');
const words = (value: number) => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;

const v6 = fc.oneof(
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
    .map((parts) => parts.map((part) => part.toString(16)).join(':')),
  fc
    .tuple(
      fc.constantFrom(
        '::',
        '::ffff:',
        '64:ff9b::',
        '64:ff9b:1::',
        '2002:',
        'fe80::',
        'fc00::',
        'ff02::',
        '2001::',
        '2001:db8::',
        '2606:4700::',
        '::ffff:0:',
      ),
      v4Number,
    )
    .map(([head, value]) =>
      head === '2002:' ? `2002:${words(value)}::` : `${head}${words(value)}`,
    ),
);

holds(
  'an IPv4 address is open where no registry says otherwise',
  fc.property(v4Number, (value) => {
    expect(isPublicAddress(dotted(value))).toBe(!isForbidden(dotted(value)));
  }),
  { runs: 500 },
);

holds(
  'no IPv6 address that is special, or leads to an IPv4 one, is open',
  fc.property(v6, (address) => {
    expect(isIPv6(address)).toBe(true);
    if (isForbidden(address)) expect(isPublicAddress(address)).toBe(false);
    if (isPublicAddress(address)) expect(address).toMatch(/^0*[23]/);
  }),
  { runs: 500 },
);

/** Notations of one address that resolvers and browsers have accepted over the years. */
const notations: readonly ((value: number) => string)[] = [
  dotted,
  String,
  (value) => `0x${value.toString(16)}`,
  (value) => `0${value.toString(8)}`,
  (value) =>
    octets(value)
      .map((part) => `0${part.toString(8)}`)
      .join('.'),
  (value) =>
    octets(value)
      .map((part) => `0x${part.toString(16)}`)
      .join('.'),
  (value) => `${value >>> 24}.${value & 0xffffff}`,
  (value) => `${dotted(value)}.`,
  (value) => `[::ffff:${dotted(value)}]`,
  (value) => `[::ffff:${words(value)}]`,
  (value) => `[::${dotted(value)}]`,
  (value) => `[64:ff9b::${dotted(value)}]`,
  (value) => `[2002:${words(value)}::1]`,
  (value) => dotted(value).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (value) => dotted(value).replaceAll('.', '\u3002'),
  (value) => `example.com@${dotted(value)}`,
  (value) => `${dotted(value)}:80#@example.com`,
  (value) => `${dotted(value)}\\@example.com`,
];

holds(
  'no notation of a private address gets past the reading of its URL',
  fc.property(
    v4Number,
    fc.constantFrom(...notations),
    fc.constantFrom(
      'http://',
      'https://',
      'HTTP://',
      'http:/',
      'http:\\\\',
      ' http://',
      'http://\t',
    ),
    fc.constantFrom('', '/', '/x?y#z', ':80/', ':8443'),
    (value, written, scheme, rest) => {
      const url = readWebUrl(`${scheme}${written(value)}${rest}`);
      if (typeof url === 'string') return;
      // What remains is a plain address, which the address check can see.
      const address = addressIn(url);
      expect(address).toBeDefined();
      if (address !== undefined && isForbidden(dotted(value)))
        expect(isPublicAddress(address)).toBe(false);
    },
  ),
  { runs: 600 },
);

holds(
  'what is read as a URL is one of the web, without credentials, and leads where it is typed',
  fc.property(
    fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      anyText.map((text) => `https://${text}`),
    ),
    (text) => {
      const url = readWebUrl(text);
      if (typeof url === 'string') return;
      expect(url.protocol).toMatch(/^https?:$/);
      expect([url.username, url.password]).toEqual(['', '']);
      expect(new URL(url.href).host).toBe(url.host);
      expect(url.hostname.endsWith('.')).toBe(false);
    },
  ),
  { runs: 200 },
);

const range = fc.oneof(
  fc
    .tuple(v4Number, fc.integer({ min: 0, max: 32 }))
    .map(([value, bits]) => `${dotted(value)}/${bits}`),
  fc.tuple(v6, fc.integer({ min: 0, max: 128 })).map(([address, bits]) => `${address}/${bits}`),
  v4Number.map(dotted),
  v6,
);

holds(
  'an address is in a list where Node’s own list says so',
  fc.property(
    fc.array(range, { maxLength: 4 }),
    fc.oneof(v4Number.map(dotted), v6),
    (ranges, address) => {
      // Node matches IPv4 addresses against IPv6 ranges; our lists match only the family they name.
      const list = new BlockList();
      for (const one of ranges) {
        const [base = '', bits] = one.split('/');
        const family = isIPv4(base) ? 'ipv4' : 'ipv6';
        if (isIPv4(base) !== isIPv4(address)) continue;
        if (bits === undefined) list.addAddress(base, family);
        else list.addSubnet(base, Number(bits), family);
      }
      const isMapped =
        /^::ffff:/i.test(address) ||
        ranges.some((one) => /^::ffff:/i.test(one) || one.startsWith('::'));
      fc.pre(!isMapped);
      const isIn = list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
      expect(isInRanges(address, addressRanges(ranges.join('\n')))).toBe(isIn);
    },
  ),
  { runs: 400 },
);

const openNumber = v4Number.filter((value) => !isForbidden(dotted(value)));

holds(
  'lines that are no ranges admit nobody of the open internet',
  fc.property(fc.array(anyText, { minLength: 1, maxLength: 4 }), openNumber, (lines, value) => {
    const text = lines.map((line) => line.replace(/[\d.:/]/g, 'x')).join('\n');
    expect(isInRanges(dotted(value), addressRanges(text))).toBe(false);
  }),
);

const header = fc.oneof(
  anyText,
  v4Number.map(dotted),
  v6,
  fc.tuple(v4Number, anyText).map(([value, more]) => `${dotted(value)}, ${more}`),
);

holds(
  'headers say who the client is only where the socket is a trusted proxy, and then an address',
  fc.property(
    v4Number.map(dotted),
    fc.record(
      { 'x-real-ip': header, 'x-forwarded-for': header, 'cf-connecting-ip': header },
      { requiredKeys: [] },
    ),
    fc.boolean(),
    fc.constantFrom(...REVERSE_PROXIES),
    (socket, headers, enabled, provider) => {
      const trusts = proxyTrust('10.0.0.0/8, loopback');
      const address = clientAddress(socket, headers, { enabled, provider, trusts });
      if (!enabled || !/^(10|127)\./.test(socket)) expect(address).toBe(socket);
      expect(isIPv4(address) || isIPv6(address)).toBe(true);
      if (address !== socket) expect(address).not.toMatch(/^(127\.|::1$|0\.)/);
    },
  ),
  { runs: 300 },
);

holds(
  'no model name leads a call away from its channel’s host, nor out of its path',
  fc.property(
    fc.constantFrom(
      'https://up.example',
      'https://up.example/v1',
      'https://up.example:8443/api/v3/',
    ),
    fc.constantFrom(
      '/v1/chat/completions',
      '/v1beta/models/{model}:generateContent',
      '/openai/{model/}/x',
    ),
    fc.oneof(
      anyText,
      fc.constantFrom(
        '../../admin',
        '..',
        'a/../../b',
        '?x=',
        '#',
        '//evil.example',
        '%2e%2e',
        '\\evil',
      ),
    ),
    (base, path, model) => {
      const url = outcomeOf(() => joinUrl(base, path, { model: model.toWellFormed(), other: 'x' }));
      if ('refused' in url) return;
      const whole = new URL(url.origin + url.path);
      expect(whole.origin).toBe(new URL(base).origin);
      expect(whole.search + whole.hash).toBe('');
      const depth = (text: string) => text.split('/').filter(Boolean).length;
      if (path.includes('{model}')) {
        expect(depth(whole.pathname)).toBe(depth(url.path));
        expect(whole.pathname).toMatch(/models\/[^/]*:generateContent$/);
      }
    },
  ),
  { runs: 300 },
);
