/** Addresses that the gateway must not request, and an account that tries to. */

import { type ApiClient, signedIn } from '../../support/api-client.ts';
import type { Site, SiteUser } from '../../support/site.ts';

/** Hosts of this machine and its network, and address ranges that lead there. */
export const INSIDE = [
  '127.0.0.1',
  '127.8.9.10',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '0.0.0.0',
  '192.0.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  'localhost',
  'LOCALHOST',
];

/** Spellings that disguise the target. */
export const ODD = [
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '127.1',
  '0',
  '127.0.0.1.',
  'localhost.',
  '１２７.0.0.1',
  '127。0。0。1',
  '127.0.0.1%2f.example.com',
  'user@127.0.0.1',
  'user:password@example.com',
  'example.com@127.0.0.1',
  '127.0.0.1\\@example.com',
  '[::1%25lo]',
  '',
];

/** Values that are not web addresses. */
export const NO_WEB = [
  'file:///etc/passwd',
  'ftp://example.com/',
  'gopher://127.0.0.1:6379/_PING',
  'javascript:alert(1)',
  'data:text/html,hi',
  'unix:/var/run/docker.sock',
  '//example.com/',
  'https:example.com',
  'example.com',
  'https://exa\nmple.com/',
];

/** Stores a webhook URL directly, as an older installation without validation may have it. */
export async function withWebhook(on: Site, { id }: SiteUser, url: string): Promise<ApiClient> {
  const setting = JSON.stringify({ notify_type: 'webhook', webhook_url: url });
  await on.ctx.db('users').where({ id }).update({ setting });
  return signedIn(on, { id });
}
