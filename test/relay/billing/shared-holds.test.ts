/** Calls of an account far from its limits, which run on one hold for many (services/cache/credit-cache.ts). */
import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually } from '../../support/site.ts';
import { expectedAnswer } from '../../upstream/content/usage.ts';
import { addTenant, PRICE, type Tenant } from '../tenant.ts';
import { tokensOfUsage, unitsOf } from '../units.ts';

const FORMS = [
  { form: 'plain', extra: {} },
  { form: 'stream', extra: { stream: true } },
] as const;

describe('an account far from its limits', async () => {
  let aheadMs = 0;
  const RICH = 1_000_000_000;
  /** After this time without calls a reservation is released. */
  const IDLE_MS = 11_000;
  const trusting = await sharedSite({
    config: { strictHolds: false },
    now: () => Date.now() + aheadMs,
  });

  /** The first calls of an account have individual holds, until one is reserved for many. */
  async function trustedTenant(): Promise<{ tenant: Tenant; units: number; spent: number }> {
    const tenant = await addTenant(trusting, { quota: RICH, tokenLimit: RICH });
    const units = unitsOf(tokensOfUsage(expectedAnswer(tenant.body()).usage), PRICE);
    let calls = 0;
    await eventually('a call runs without a hold', async () => {
      calls += 1;
      const [entry] = await trusting.ledgerOf((await tenant.call()).requestId);
      return JSON.parse(entry?.detail ?? '{}').held === 0;
    });
    return { tenant, units, spent: calls * units };
  }

  /** The bill once the reservation of many calls, then idle, is released. */
  function billWhenIdle(tenant: Tenant) {
    aheadMs += IDLE_MS;
    return tenant.bill();
  }

  test.each(FORMS)('is charged the same without a hold, $form', async ({ extra }) => {
    const { tenant, units, spent } = await trustedTenant();
    trusting.upstream.script('hold:1');
    const pending = tenant.call(extra);
    await trusting.upstream.until(({ openCalls }) => openCalls === 1);
    const holds = await trusting.ctx.reads('holds').where({ user_id: tenant.user.id });
    expect(holds).toMatchObject([{ request_id: expect.stringMatching(/^block-/) }]);
    trusting.upstream.release();
    const { requestId } = await pending;
    expect(await trusting.ledgerOf(requestId)).toMatchObject([
      { user_units: -units, token_units: -units, channel_units: units },
    ]);
    expect((await billWhenIdle(tenant)).spent.user).toBe(spent + units);
  });

  test.each(FORMS)('is charged nothing for a failed call, $form', async ({ extra }) => {
    const { tenant, spent } = await trustedTenant();
    trusting.upstream.script('status:500');
    const failed = await tenant.call(extra);
    expect(await trusting.ledgerOf(failed.requestId)).toEqual([]);
    expect((await billWhenIdle(tenant)).spent.user).toBe(spent);
  });
});
