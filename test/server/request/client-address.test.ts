/** The client address of a call: one rule, which forged headers cannot affect. */
import { describe, expect, test } from 'vitest';
import { REVERSE_PROXIES, type ReverseProxy } from '../../../src/domain/reverse-proxies.ts';
import { clientAddress, proxyTrust } from '../../../src/server/request/client-address.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite } from '../../support/site.ts';
import { CHAT } from '../../upstream/wire.ts';

const PROXY = '10.0.0.1';
const nginx = { enabled: true, provider: 'nginx', trusts: proxyTrust('10.0.0.0/8') } as const;
const CLIENT = '203.0.113.9';
const FORGED = '198.51.100.66';

describe('the client address', () => {
  test.each([
    ['in X-Real-IP', CLIENT, undefined, CLIENT],
    ['of the socket when the client wrote one of two headers', CLIENT, FORGED, PROXY],
    [
      'in X-Forwarded-For, past trusted proxies',
      '10.0.0.2',
      `${FORGED}, ${CLIENT}, 10.0.0.2`,
      CLIENT,
    ],
    ['of the last proxy that named itself', undefined, `${CLIENT}, unknown, 10.0.0.2`, '10.0.0.2'],
    ['in X-Forwarded-For when X-Real-IP is nonsense', 'unknown', CLIENT, CLIENT],
    ['of the socket when every header is nonsense', '1.2.3', "'; --", PROXY],
    ['of the socket when the header claims loopback', '127.0.0.1', '::1', PROXY],
    ['of the socket when the header claims nowhere', '0.0.0.0', '::', PROXY],
    ['of the socket when there is no header', undefined, undefined, PROXY],
    ['in IPv6, in its one short form', '2001:DB8:0:0::1', undefined, '2001:db8::1'],
  ])('is that %s', (_case, real, forwarded, expected) => {
    const headers = { 'x-real-ip': real, 'x-forwarded-for': forwarded };
    expect(clientAddress(PROXY, headers, nginx)).toBe(expected);
  });

  test('is that of the socket when no proxy is set up, or that is no trusted proxy', () => {
    const headers = { 'x-real-ip': CLIENT };
    expect(clientAddress(PROXY, headers, { ...nginx, enabled: false })).toBe(PROXY);
    expect(clientAddress(FORGED, headers, nginx)).toBe(FORGED);
  });

  test('is in IPv4, also where it is written as IPv6', () => {
    expect(clientAddress(`::ffff:${PROXY}`, { 'x-real-ip': `::ffff:${CLIENT}` }, nginx)).toBe(
      CLIENT,
    );
  });

  /** What each proxy sends in its documented set-up when the client wrote headers itself. */
  test.each<[ReverseProxy, string, Record<string, string>]>([
    ['nginx', 'proxy_set_header', { 'x-real-ip': CLIENT, 'x-forwarded-for': CLIENT }],
    [
      'nginx',
      '$proxy_add_x_forwarded_for',
      { 'x-real-ip': CLIENT, 'x-forwarded-for': `${FORGED}, ${CLIENT}` },
    ],
    [
      'cloudflare',
      'appending',
      { 'cf-connecting-ip': CLIENT, 'x-forwarded-for': `${FORGED},${CLIENT}`, 'x-real-ip': FORGED },
    ],
    [
      'caddy',
      'replacing X-Forwarded-For only',
      { 'x-real-ip': FORGED, 'x-forwarded-for': CLIENT, 'x-forwarded-host': 'ai.example' },
    ],
    [
      'haproxy',
      'option forwardfor, which adds a line',
      { 'x-real-ip': FORGED, 'x-forwarded-for': `${FORGED}, ${CLIENT}` },
    ],
    [
      'alb',
      'appending',
      {
        'x-real-ip': FORGED,
        'x-forwarded-for': `${FORGED}, ${CLIENT}`,
        'x-forwarded-port': '443',
        'x-amzn-trace-id': 'Root=1-67891233-abcdef012345678912345678',
      },
    ],
    [
      'alb',
      'with client ports',
      { 'x-real-ip': FORGED, 'x-forwarded-for': `${FORGED}, ${CLIENT}:51234` },
    ],
    [
      'azure',
      'with ports',
      { 'x-real-ip': FORGED, 'x-forwarded-for': `${FORGED}:80, ${CLIENT}:51234` },
    ],
    ['azure', 'in front of a proxy', { 'x-forwarded-for': `${FORGED}, ${CLIENT}:51234, 10.0.0.9` }],
  ])('behind %s, %s, is the one that it saw', (provider, _setUp, headers) => {
    expect(clientAddress(PROXY, headers, { ...nginx, provider })).toBe(CLIENT);
  });

  test('with a port is read in IPv6 as well', () => {
    const headers = { 'x-forwarded-for': '[2001:DB8::7]:51234' };
    expect(clientAddress(PROXY, headers, { ...nginx, provider: 'azure' })).toBe('2001:db8::7');
  });

  test.each(REVERSE_PROXIES.filter((name) => name !== 'nginx'))(
    'behind %s is the socket without its header, whatever the others say',
    (provider) => {
      const own = provider === 'cloudflare' ? 'x-forwarded-for' : 'cf-connecting-ip';
      const headers = { 'x-real-ip': FORGED, [own]: FORGED };
      expect(clientAddress(PROXY, headers, { ...nginx, provider })).toBe(PROXY);
    },
  );

  test('that the system does not know is empty', () => {
    expect(clientAddress('', {}, nginx)).toBe('');
    expect(clientAddress('', { 'x-real-ip': '203.0.113.9' }, nginx)).toBe('');
  });
});

describe('a trusted proxy', () => {
  test.each([
    ['loopback', '127.0.0.1', true],
    ['loopback', '::1', true],
    ['loopback', '10.0.0.1', false],
    ['linklocal', '169.254.1.1', true],
    ['linklocal', 'fe80::1', true],
    ['uniquelocal', 'fd00::1', true],
    ['uniquelocal', '192.168.1.1', true],
    ['uniquelocal', '203.0.113.1', false],
    ['203.0.113.1', '203.0.113.1', true],
    ['203.0.113.1', '::ffff:203.0.113.1', true],
    ['203.0.113.1', '203.0.113.2', false],
    ['2001:db8::/32, 203.0.113.0/24', '203.0.113.200', true],
    ['2001:db8::/32, 203.0.113.0/24', '2001:db8:1::1', true],
    ['', '127.0.0.1', false],
    ['nonsense', '127.0.0.1', false],
    ['loopback', 'nonsense', false],
    ['unicast', '8.8.8.8', false],
    ['constructor', '8.8.8.8', false],
  ])('by the list %j: %s is %s', (names, address, isTrusted) => {
    expect(proxyTrust(names)(address)).toBe(isTrusted);
  });
});

describe('a server behind proxies', async () => {
  const site = await sharedSite();
  const token = await site.addToken({ allow_ips: '203.0.113.9' });

  const status = async (headers: Readonly<Record<string, string>>) =>
    (await site.call({ key: token.key, body: CHAT, headers })).status;

  test('trusts no forwarding header unless its proxy is configured, and only from that proxy', async () => {
    const real = { 'x-real-ip': '203.0.113.9' };
    const byCloudflare = { 'cf-connecting-ip': '203.0.113.9' };
    expect(await status(real)).toBe(403);
    await site.option('ReverseProxyEnabled', true);
    expect([await status(real), await status(byCloudflare), await status({})]).toEqual([
      200, 403, 403,
    ]);
    await site.option('ReverseProxyProvider', 'cloudflare');
    expect([await status(real), await status(byCloudflare)]).toEqual([403, 200]);
    await site.option('ReverseProxyEnabled', false);
    expect(await status(byCloudflare)).toBe(403);
  });

  test('trusts no forwarding header of a peer that is not a trusted proxy', async () => {
    const strict = await aSite({
      config: { trustedProxies: '10.0.0.0/8' },
      options: { ReverseProxyEnabled: true },
    });
    const bound = await strict.addToken({ allow_ips: '203.0.113.9' });
    const headers = { 'x-real-ip': '203.0.113.9', 'x-forwarded-for': '203.0.113.9' };
    expect((await strict.call({ key: bound.key, body: CHAT, headers })).status).toBe(403);
    await strict.close();
  });

  test('logs the address only for users who enabled it', async () => {
    const plain = await site.call({ body: CHAT });
    expect((await site.logOf(plain.requestId))?.client_ip).toBe('');
    await site.ctx
      .db('users')
      .where({ id: site.user.id })
      .update({ setting: JSON.stringify({ show_ip_in_logs: true }) });
    await site.option('ReverseProxyProvider', 'nginx');
    await site.option('ReverseProxyEnabled', true);
    const owner = await site.addUser();
    await site.ctx
      .db('users')
      .where({ id: owner.id })
      .update({ setting: JSON.stringify({ show_ip_in_logs: true }) });
    const { key } = await site.addToken({ owner });
    const headers = { 'x-real-ip': '2001:db8::7' };
    const shown = await site.call({ key, body: CHAT, headers });
    expect((await site.logOf(shown.requestId))?.client_ip).toBe('2001:db8::7');
  });
});
