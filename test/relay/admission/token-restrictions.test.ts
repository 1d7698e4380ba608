/** What a token restricts: addresses of callers, and models. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR, type SiteToken } from '../../support/site.ts';
import { CHAT } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';
import { tokenCallsOf } from './token-call.ts';

const site = await sharedSite();

const { call, refused, store } = tokenCallsOf(() => site);

describe('the IP allow list of a token', () => {
  beforeAll(() => site.option('ReverseProxyEnabled', true));
  afterAll(() => site.option('ReverseProxyEnabled', false));

  const from = (token: SiteToken, address: string) =>
    call(token, { headers: { 'x-real-ip': address } });

  test.each([
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.0/24', '203.0.114.0', false],
    ['2001:db8::1', '2001:0db8:0:0:0:0:0:1', true],
    ['2001:db8::/32', '2001:db8:ffff::9', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['203.0.113.7', '::ffff:203.0.113.7', true],
    ['198.51.100.1\n203.0.113.7', '203.0.113.7', true],
    ['198.51.100.1, \n 203.0.113.7,', '203.0.113.7', true],
    ['0.0.0.0/0', '2001:db8::1', false],
  ])('%j accepts %s: %s', async (list, address, isIn) => {
    const token = await site.addToken({ allow_ips: list });
    const answer = await from(token, address);
    expect(answer.status).toBe(isIn ? 200 : 403);
    if (!isIn)
      expect(refusalIn(answer).message).toBe(
        'This API token does not allow calls from your IP address.',
      );
  });

  test('refuses before the body is read', async () => {
    const token = await site.addToken({ allow_ips: '203.0.113.7' });
    expect(await refused(token, { body: { nonsense: true } })).toEqual({
      status: 403,
      message: 'This API token does not allow calls from your IP address.',
      type: 'gateway_error',
      param: null,
      code: 'address_denied',
    });
  });

  test('that cannot be parsed (written by an older installation) accepts no address', async () => {
    const token = await site.addToken();
    await store(token, { allow_ips: 'not an address' });
    expect((await from(token, '203.0.113.7')).status).toBe(403);
  });
});

describe('the model list of a token', () => {
  test('refuses other models', async () => {
    const token = await site.addToken({ model_limits_enabled: true, model_limits: 'gpt-4o' });
    expect(await refused(token)).toEqual({
      status: 403,
      message: 'This API token may not use the model gpt-4o-mini.',
      type: 'gateway_error',
      param: 'model',
      code: 'model_not_allowed',
    });
    expect((await call(token, { body: { ...CHAT, model: 'gpt-4o' } })).status).toBe(200);
  });

  test('uses the full name, prefix included', async () => {
    await site.addChannel({ models: 'gpt-4o', model_prefix: 'fast/' });
    const token = await site.addToken({ model_limits_enabled: true, model_limits: 'gpt-4o' });
    const aliasCall = { body: { ...CHAT, model: 'fast/gpt-4o' } };
    expect((await refused(token, aliasCall)).message).toBe(
      'This API token may not use the model fast/gpt-4o.',
    );
    await site.as(OPERATOR).token.edit({ id: token.id, model_limits: 'gpt-4o,fast/gpt-4o' });
    expect((await call(token, aliasCall)).status).toBe(200);
  });

  test('is ignored while it is switched off', async () => {
    const token = await site.addToken({ model_limits_enabled: false, model_limits: 'gpt-4o' });
    expect((await call(token)).status).toBe(200);
  });

  test('reports models that no channel of the group has as unknown', async () => {
    const body = { ...CHAT, model: 'no-such-model' };
    expect(await refused(site.token, { body })).toEqual({
      status: 404,
      message: 'The model no-such-model does not exist or you do not have access to it.',
      type: 'invalid_request_error',
      param: 'model',
      code: 'model_not_found',
    });
  });
});
