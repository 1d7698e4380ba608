import { describe, expect, it } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';

const site = await sharedSite();

const PATHS = ['/dashboard/billing', '/v1/dashboard/billing'];

async function send(path: string, key?: string) {
  const reply = await site.call({ path, ...(key === undefined ? {} : { key }) });
  return { ...reply, body: JSON.parse(reply.text) };
}

describe.each(PATHS)('%s', (base) => {
  it('shows a limited token its limit and spending in dollars', async () => {
    const until = Math.floor(site.ctx.now() / 1000) + 3600;
    const token = await site.addToken({ remain_quota: 1_000_000, expired_time: until });
    const limits = await send(`${base}/subscription`, token.key);
    expect(limits).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': '*' },
      body: {
        object: 'billing_subscription',
        has_payment_method: true,
        soft_limit_usd: 2,
        hard_limit_usd: 2,
        system_hard_limit_usd: 2,
        access_until: until,
      },
    });
    expect((await send(`${base}/usage`, token.key)).body).toEqual({
      object: 'list',
      total_usage: 0,
    });
    expect((await send(`${base}/credit_grants`, token.key)).body).toEqual({
      object: 'credit_summary',
      total_granted: 2,
      total_used: 0,
      total_available: 2,
    });
  });

  it('shows an unlimited token a very high limit', async () => {
    const { body } = await send(`${base}/subscription`);
    expect(body).toMatchObject({ hard_limit_usd: 100_000_000, access_until: 0 });
  });

  it('refuses unknown and disabled keys and addresses outside the allow list', async () => {
    expect(await send(`${base}/usage`, 'sk-unknown')).toMatchObject({
      status: 401,
      body: { error: { code: 'invalid_api_key' } },
    });
    const elsewhere = await site.addToken({ allow_ips: '203.0.113.7' });
    expect((await send(`${base}/subscription`, elsewhere.key)).status).toBe(403);
  });

  it('allows scripts of any origin', async () => {
    const preflight = await site.call({
      method: 'OPTIONS',
      path: `${base}/usage`,
      key: '',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('*');
  });
});

describe('the billing amounts', () => {
  it('are those of the account, in the configured units', async () => {
    const owner = await site.addUser({ quota: 3_000 });
    const token = await site.addToken({ owner, remain_quota: 500 });
    await site.option('DisplayTokenStatEnabled', false);
    await site.option('DisplayInCurrencyEnabled', false);
    const { body } = await send('/dashboard/billing/subscription', token.key);
    expect(body.hard_limit_usd).toBe(3_000);
    await site.option('DisplayTokenStatEnabled', true);
    const own = await send('/dashboard/billing/subscription', token.key);
    expect(own.body.hard_limit_usd).toBe(500);
    await site.option('DisplayInCurrencyEnabled', true);
  });

  it('follow the real cost of calls', async () => {
    const token = await site.addToken({ remain_quota: 1_000_000 });
    await site.call({
      key: token.key,
      body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] },
    });
    await site.settled();
    const { used_quota } = await site.tokenBalance(token.id);
    expect(used_quota).toBeGreaterThan(0);
    const { body } = await send('/v1/dashboard/billing/usage', token.key);
    expect(body.total_usage).toBeCloseTo((used_quota / 500_000) * 100, 10);
    expect((await send('/dashboard/billing/subscription', token.key)).body.hard_limit_usd).toBe(2);
  });
});
