/** The circuit breaker: skips a failing channel, then probes it with one call at a time. */
import { beforeEach, describe, expect, test } from 'vitest';
import { CircuitBreakers } from '../../../src/relay/routing/circuit-breaker.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, OPERATOR, type SiteChannel } from '../../support/site.ts';
import { CHAT, STREAM } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';

const MODEL = 'gpt-4o-mini';

describe('a circuit breaker', () => {
  let nowMs: number;
  let breakers: CircuitBreakers;
  beforeEach(() => {
    nowMs = 1_000_000;
    breakers = new CircuitBreakers(() => nowMs);
  });

  function fail(times: number, model = MODEL): void {
    for (let time = 0; time < times; time += 1) {
      breakers.begin(1, model);
      breakers.failed(1, model);
    }
  }

  test('opens after five consecutive failures, for this model of this channel only', () => {
    fail(4);
    expect(breakers.waitMs(1, MODEL)).toBe(0);
    fail(1);
    expect(breakers.waitMs(1, MODEL)).toBe(5_000);
    expect(breakers.waitMs(2, MODEL)).toBe(0);
    expect(breakers.waitMs(1, 'o3')).toBe(0);
    breakers.succeeded(1, 'o3');
    expect(breakers.waitMs(1, MODEL)).toBe(5_000);
  });

  test('resets its failure count on one success', () => {
    fail(4);
    breakers.succeeded(1, MODEL);
    fail(4);
    expect(breakers.waitMs(1, MODEL)).toBe(0);
  });

  test('lets exactly one call through when its cooldown ends', () => {
    fail(5);
    nowMs += 4_999;
    expect(breakers.waitMs(1, MODEL)).toBe(1);
    nowMs += 1;
    expect(breakers.waitMs(1, MODEL)).toBe(0);
    breakers.begin(1, MODEL);
    expect(breakers.waitMs(1, MODEL)).toBeGreaterThan(0);
  });

  test('closes when the probe succeeds', () => {
    fail(5);
    nowMs += 5_000;
    breakers.begin(1, MODEL);
    breakers.succeeded(1, MODEL);
    expect(breakers.waitMs(1, MODEL)).toBe(0);
    fail(4);
    expect(breakers.waitMs(1, MODEL)).toBe(0);
  });

  test('doubles its cooldown after each failed probe, up to five minutes', () => {
    fail(5);
    const rests = Array.from({ length: 9 }, () => {
      nowMs += breakers.waitMs(1, MODEL);
      fail(1);
      return breakers.waitMs(1, MODEL);
    });
    expect(rests).toEqual([
      10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000, 300_000,
    ]);
  });

  test("lets the next call probe when the probe's result was inconclusive", () => {
    fail(5);
    nowMs += 5_000;
    breakers.begin(1, MODEL);
    breakers.released(1, MODEL);
    expect(breakers.waitMs(1, MODEL)).toBe(0);
  });

  test('lets the next call probe when a probe has no result after a minute', () => {
    fail(5);
    nowMs += 5_000;
    breakers.begin(1, MODEL);
    nowMs += 59_999;
    expect(breakers.waitMs(1, MODEL)).toBe(1);
    nowMs += 1;
    expect(breakers.waitMs(1, MODEL)).toBe(0);
  });

  test('ignores failures of calls that began before it opened', () => {
    for (let call = 0; call < 20; call += 1) breakers.begin(1, MODEL);
    for (let call = 0; call < 20; call += 1) breakers.failed(1, MODEL);
    expect(breakers.waitMs(1, MODEL)).toBe(5_000);
  });

  test('lets one probe a second through when no other channel is left', () => {
    fail(5);
    expect(breakers.lastResortMs(1, MODEL)).toBe(1_000);
    nowMs += 1_000;
    expect(breakers.lastResortMs(1, MODEL)).toBe(0);
    breakers.begin(1, MODEL);
    expect(breakers.lastResortMs(1, MODEL)).toBe(1_000);
    breakers.failed(1, MODEL);
    expect(breakers.lastResortMs(1, MODEL)).toBe(1_000);
    expect(breakers.waitMs(1, MODEL)).toBe(4_000);
    nowMs += 1_000;
    breakers.begin(1, MODEL);
    breakers.succeeded(1, MODEL);
    expect(breakers.waitMs(1, MODEL)).toBe(0);
  });

  test('is shared by all names of one assistant', () => {
    for (let at = 0; at < 5; at += 1) fail(1, `gpt-4-gizmo-g-${at}`);
    expect(breakers.waitMs(1, 'gpt-4-gizmo-g-other')).toBe(5_000);
    expect(breakers.states()).toEqual([{ channelId: 1, model: 'gpt-4-gizmo-*', state: 'open' }]);
  });

  test('is reset when its channel is changed', () => {
    fail(5);
    breakers.forget([2]);
    expect(breakers.waitMs(1, MODEL)).toBe(5_000);
    breakers.forget([1, 2]);
    expect(breakers.waitMs(1, MODEL)).toBe(0);
    fail(5);
    breakers.forget('all');
    expect(breakers.states()).toEqual([]);
  });

  test('evicts the oldest failures beyond ten thousand', () => {
    for (let at = 0; at < 10_050; at += 1) fail(1, `model-${at}`);
    const known = new Set(breakers.states().map(({ model }) => model));
    expect(known.size).toBe(10_000);
    expect([known.has('model-49'), known.has('model-50')]).toEqual([false, true]);
  });

  test('cools a key down for one model for the requested time, up to five minutes', () => {
    breakers.startCooldown(7, 'gpt-4o', 2_000);
    breakers.startCooldown(8, 'gpt-4o', 86_400_000);
    expect([breakers.cooldownMs(7, 'gpt-4o'), breakers.cooldownMs(7, 'o3')]).toEqual([2_000, 0]);
    expect(breakers.cooldownMs(8, 'gpt-4o')).toBe(300_000);
    nowMs += 2_000;
    expect(breakers.cooldownMs(7, 'gpt-4o')).toBe(0);
  });
});

describe('circuit breakers of several nodes', () => {
  let nowMs: number;
  let nodes: CircuitBreakers[];
  beforeEach(() => {
    nowMs = 1_000_000;
    nodes = [0, 1, 2].map(
      (index) =>
        new CircuitBreakers(
          () => nowMs,
          (news) => {
            for (const node of nodes) if (node !== nodes[index]) node.apply(news);
          },
        ),
    );
  });

  const waits = () => nodes.map((node) => node.waitMs(1, MODEL));
  const failAt = (index: number) => {
    nodes[index]?.begin(1, MODEL);
    nodes[index]?.failed(1, MODEL);
  };

  test('count failures together and open together', () => {
    for (const index of [0, 1, 2, 0]) failAt(index);
    expect(waits()).toEqual([0, 0, 0]);
    failAt(1);
    expect(waits()).toEqual([5_000, 5_000, 5_000]);
  });

  test('let one node probe, and close together when the probe succeeds', () => {
    for (let time = 0; time < 5; time += 1) failAt(0);
    nowMs += 5_000;
    nodes[1]?.begin(1, MODEL);
    expect(waits()).toEqual([60_000, 60_000, 60_000]);
    nodes[1]?.released(1, MODEL);
    expect(waits()).toEqual([0, 0, 0]);
    nodes[2]?.begin(1, MODEL);
    nodes[2]?.succeeded(1, MODEL);
    expect(waits()).toEqual([0, 0, 0]);
    for (let time = 0; time < 4; time += 1) failAt(time % 3);
    expect(waits()).toEqual([0, 0, 0]);
  });
});

describe('a gateway with circuit breakers', async () => {
  let nowMs = Date.now();
  let first: SiteChannel;
  let second: SiteChannel;
  const site = await sharedSite({ upstreams: 2, options: { RetryTimes: 1 }, now: () => nowMs });
  const { items } = await site.as(OPERATOR).channel.list({ id_sort: true });
  const [later, earlier] = items;
  if (!earlier || !later) throw new Error('no channels');
  [first, second] = [earlier, later];
  beforeEach(async () => {
    for (const upstream of site.upstreams) upstream.reset();
    await site.as(OPERATOR).channel.setStatus({ id: second.id, status: 1 });
    // Cooldowns end with time, breakers with an edit: no test depends on the previous one.
    nowMs += 10 * 60_000;
    await site.as(OPERATOR).channel.edit({ id: first.id, priority: 10 });
    await site.as(OPERATOR).channel.edit({ id: second.id, priority: 0 });
  });

  const callCounts = () => site.upstreams.map((upstream) => upstream.stats.calls);

  test('skips a failing model of a channel, and restores it after one successful probe', async () => {
    site.upstream.setDefault('status:500');
    for (let call = 0; call < 8; call += 1)
      expect((await site.call({ body: CHAT })).status).toBe(200);
    expect(callCounts()).toEqual([5, 8]);
    site.upstream.setDefault('ok');
    const other = { ...CHAT, model: 'gpt-4o' };
    for (let call = 0; call < 3; call += 1) await site.call({ body: other });
    expect(callCounts()).toEqual([8, 8]);
    for (let call = 0; call < 2; call += 1) await site.call({ body: CHAT });
    expect(callCounts()).toEqual([8, 10]);
    nowMs += 5_000;
    for (let call = 0; call < 2; call += 1) await site.call({ body: CHAT });
    expect(callCounts()).toEqual([10, 10]);
  });

  test('probes the last channel of a model once a second and refuses other calls', async () => {
    await site.as(OPERATOR).channel.setStatus({ id: second.id, status: 2 });
    site.upstream.setDefault('status:500');
    for (let call = 0; call < 5; call += 1) await site.call({ body: CHAT });
    const refused = await site.call({ body: CHAT });
    expect(refusalIn(refused)).toMatchObject({
      status: 503,
      type: 'gateway_error',
      code: 'upstream_unavailable',
      message: expect.stringContaining('are in cooldown after failures'),
    });
    expect(refused.headers['retry-after']).toBe('1');
    expect(callCounts()).toEqual([5, 0]);

    // Limited accounts: their hold is written before the upstream call, which takes a while.
    const owner = await site.addUser({ quota: 10_000 });
    const token = await site.addToken({ owner, remain_quota: 10_000 });
    nowMs += 1_000;
    site.upstream.setDefault('hold');
    const statuses: number[] = [];
    const callers = Array.from({ length: 12 }, async () => {
      statuses.push((await site.call({ key: token.key, body: CHAT })).status);
    });
    await eventually('all but the probe are told to wait', () => statuses.length === 11);
    expect(new Set(statuses)).toEqual(new Set([503]));
    await eventually('the probe has arrived', () => site.upstream.stats.calls >= 6);
    expect(callCounts()).toEqual([6, 0]);
    site.upstream.setDefault('ok');
    site.upstream.release();
    await Promise.all(callers);
    expect(statuses.at(-1)).toBe(200);
    for (let call = 0; call < 3; call += 1)
      expect((await site.call({ body: CHAT })).status).toBe(200);
    expect(callCounts()).toEqual([9, 0]);
  });

  test('uses a channel again as soon as it is edited', async () => {
    await site.as(OPERATOR).channel.setStatus({ id: second.id, status: 2 });
    site.upstream.setDefault('status:500');
    for (let call = 0; call < 6; call += 1) await site.call({ body: CHAT });
    expect(callCounts()).toEqual([5, 0]);
    site.upstream.setDefault('ok');
    await site.as(OPERATOR).channel.edit({ id: first.id, base_url: site.upstream.url });
    expect((await site.call({ body: CHAT })).status).toBe(200);
  });

  test('opens the breaker of a channel whose streams start well and then break', async () => {
    site.upstream.setDefault('reset-stream:4');
    for (let call = 0; call < 5; call += 1) await site.call({ body: STREAM });
    expect(callCounts()[0]).toBe(5);
    await site.call({ body: STREAM });
    expect(callCounts()[0]).toBe(5);
  });
});
