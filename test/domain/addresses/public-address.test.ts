import { describe, expect, it } from 'vitest';
import {
  addressIn,
  isPublicAddress,
  readWebUrl,
} from '../../../src/domain/addresses/public-address.ts';

describe('IP addresses', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001::200e',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.255.255.255'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.0.1'],
    ['shared by carriers', '100.64.0.1'],
    ['shared by carriers', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local', '169.254.169.254'],
    ['protocol assignments', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarks', '198.18.0.1'],
    ['benchmarks', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::7f00:1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped', '::ffff:8.8.8.8'],
    ['IPv4-translated', '::ffff:0:8.8.8.8'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64 of a site', '64:ff9b:1::a00:1'],
    ['discard', '100::1'],
    ['6to4', '2002:7f00:1::1'],
    ['6to4', '2002:808:808::1'],
    ['Teredo', '2001::1'],
    ['benchmarks', '2001:2::1'],
    ['ORCHID', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['segment routing', '5f00::1'],
    ['unique local', 'fc00::1'],
    ['unique local', 'fd12:3456:789a::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['not given out', '4000::1'],
    ['no address', 'localhost'],
    ['no address', ''],
    ['one number', '2130706433'],
    ['octal', '0177.0.0.1'],
    ['short', '127.1'],
  ])('%s: %s is not public', (_kind, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('URLs entered by a user', () => {
  it.each([
    'https://example.com/hook?a=b#c',
    'HTTPS://Example.com',
    'http://example.com:8080/',
    'https://8.8.8.8:8443/x',
    'https://[2606:4700:4700::1111]/',
    'https://münchen.example/pfad',
  ])('reads %s', (text) => {
    expect(readWebUrl(text)).toBeInstanceOf(URL);
  });

  it('are read alike on every call', () => {
    const text = 'https://münchen.example/pfad';
    const answers = Array.from({ length: 20_000 }, () => readWebUrl(text) instanceof URL);
    expect(answers.indexOf(false)).toBe(-1);
  });

  it.each([
    ['', 'not_web_url'],
    ['example.com', 'not_web_url'],
    ['//example.com', 'not_web_url'],
    ['ftp://example.com', 'not_web_url'],
    ['file:///etc/passwd', 'not_web_url'],
    ['javascript:alert(1)', 'not_web_url'],
    ['https:example.com', 'not_web_url'],
    ['https://', 'not_web_url'],
    ['https://exa mple.com', 'not_web_url'],
    ['https://example.com\\@evil.example', 'not_web_url'],
    ['https://exam\tple.com', 'not_web_url'],
    ['https://example.com/\r\nX: y', 'not_web_url'],
    [' https://example.com', 'not_web_url'],
    ['https://999.999.999.999/', 'not_web_url'],
    [`https://example.com/${'x'.repeat(2048)}`, 'not_web_url'],
    ['https://user@example.com', 'url_credentials'],
    ['https://user:pass@example.com', 'url_credentials'],
    ['https://@example.com', 'url_credentials'],
    ['https://example.com./', 'url_host_dot'],
    ['http://127.0.0.1./', 'url_odd_address'],
    ['http://2130706433/', 'url_odd_address'],
    ['http://0x7f000001/', 'url_odd_address'],
    ['http://0177.0.0.1/', 'url_odd_address'],
    ['http://127.1/', 'url_odd_address'],
    ['http://%3127.0.0.1/', 'url_odd_address'],
    ['http://134744072/', 'url_odd_address'],
    ['http://１２７.0.0.1/', 'url_odd_address'],
  ])('%j is refused', (text, problem) => {
    expect(readWebUrl(text)).toBe(problem);
  });

  it('http is refused where https is required', () => {
    expect(readWebUrl('http://example.com', { https: true })).toBe('not_https_url');
    expect(readWebUrl('https://example.com', { https: true })).toBeInstanceOf(URL);
  });

  it('the IP address in a host is found, without brackets', () => {
    expect(addressIn(new URL('http://[::1]:80/'))).toBe('::1');
    expect(addressIn(new URL('http://10.0.0.1/'))).toBe('10.0.0.1');
    expect(addressIn(new URL('http://example.com/'))).toBeUndefined();
  });
});
