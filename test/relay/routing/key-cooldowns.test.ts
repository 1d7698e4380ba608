/** A refused key cools down while the channel's other keys continue; all processes know it. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { CircuitBreakers } from '../../../src/relay/routing/circuit-breaker.ts';
import { followKeyCooldowns } from '../../../src/relay/routing/key-cooldowns.ts';
import { databases } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, OPERATOR, type SiteChannel } from '../../support/site.ts';
import type { Plan } from '../../upstream/plans/plan.ts';
import { startFakeUpstream } from '../../upstream/server.ts';
import { CHAT } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';

const KEYS = ['sk-first-of-three', 'sk-second-of-three', 'sk-third-of-three'] as const;

const REFUSALS: readonly (readonly [reason: string, plan: Plan | string, seconds: number])[] = [
  ['429 that names a time', 'rate-limit:60', 60],
  ['429 that names none', { refuse: { status: 429 } }, 30],
  [
    '429 whose limit tells when it is free',
    {
      refuse: {
        status: 429,
        headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '2m' },
      },
    },
    120,
  ],
  ['402', { refuse: { status: 402 } }, 30],
  ['401', 'status:401', 30],
  ['403', { refuse: { status: 403 } }, 30],
  ['500 of a used-up account', { refuse: { status: 500, code: 'insufficient_quota' } }, 30],
];

describe.each(databases)('key cooldowns on $kind', async ({ kind }) => {
  let made = 0;
  const site = await sharedSite({ database: kind, options: { RetryTimes: 1 } });
  const upstream = await startFakeUpstream({ keys: KEYS });
  beforeEach(async () => {
    upstream.reset();
    await site.option('KeyRestSeconds', 30);
  });
  afterAll(() => upstream.close());

  async function aChannel(keys: readonly string[] = KEYS): Promise<SiteChannel> {
    made += 1;
    const model = `rested-${made}`;
    await site.as(OPERATOR).price.set({ model, ratio: 1 });
    return site.addChannel({ upstream, models: model, key: keys.join('\n') });
  }

  const send = ({ models }: SiteChannel) => site.call({ body: { ...CHAT, model: models } });
  const now = ({ id }: SiteChannel) => site.as(OPERATOR).channel.get({ id });
  const used = () =>
    upstream.requests.map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));

  async function resting(channel: SiteChannel): Promise<boolean[]> {
    return (await now(channel)).keys.map((key) => key.resting_until > Date.now() / 1000);
  }

  test.each(REFUSALS)(
    'a %s cools that key down; another key answers this call and later ones',
    async (_name, plan, seconds) => {
      const channel = await aChannel();
      upstream.script(plan);
      expect((await send(channel)).status).toBe(200);
      for (let call = 0; call < 4; call += 1) expect((await send(channel)).status).toBe(200);
      const [first, ...others] = used();
      expect(others).toHaveLength(5);
      expect(others).not.toContain(first);
      const shown = await eventually('the rest is told', async () => {
        const rested = (await now(channel)).keys.filter((key) => key.resting_until > 0);
        expect(rested.length).toBeLessThan(2);
        return rested[0];
      });
      expect(KEYS[shown.position]).toBe(first);
      const leftSec = shown.resting_until - Date.now() / 1000;
      expect(leftSec).toBeGreaterThan(seconds - 15);
      expect(leftSec).toBeLessThanOrEqual(seconds + 1);
      expect(shown.rest_reason).toMatch(/^The upstream answered [45]\d\d: /);
      expect(shown.rest_reason).not.toContain('sk-first');
    },
  );

  test.each([
    // Processes share cooldowns in whole seconds.
    ['rate-limit:50', 'rate-limit:20', 429, 0, 21],
    ['status:401', 'status:401', 401, 10, 31],
  ])(
    'when all keys are cooling down (%s, %s), the error has the time until the first is available',
    async (one, other, status, moreThan, atMost) => {
      const channel = await aChannel(KEYS.slice(0, 2));
      upstream.script(one, other);
      expect((await send(channel)).status).toBe(status);
      const refused = await send(channel);
      expect(refusalIn(refused)).toMatchObject({ status: 503, code: 'upstream_unavailable' });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(moreThan);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(atMost);
      expect(upstream.stats.calls).toBe(2);
    },
  );

  test('a cooldown can be ended manually, for one key or for all', async () => {
    const channel = await aChannel(KEYS.slice(0, 2));
    upstream.script('rate-limit:100', 'rate-limit:100');
    await send(channel);
    await eventually('both are told', async () => (await resting(channel)).every(Boolean));
    const key_id = (await now(channel)).keys[1]?.id;
    const woken = await site.as(OPERATOR).channel.wake({ id: channel.id, key_id });
    expect(woken.keys.map(({ resting_until }) => resting_until > 0)).toEqual([true, false]);
    for (let call = 0; call < 2; call += 1) expect((await send(channel)).status).toBe(200);
    expect(new Set(used().slice(2))).toEqual(new Set([KEYS[1]]));
    await site.as(OPERATOR).channel.wake({ id: channel.id });
    expect(await resting(channel)).toEqual([false, false]);
    upstream.reset();
    for (let call = 0; call < 2; call += 1) expect((await send(channel)).status).toBe(200);
    expect(new Set(used()).size).toBe(2);
  });

  test('manually enabling a channel or passing its test also ends cooldowns', async () => {
    const channel = await aChannel(KEYS.slice(0, 2));
    const rest = async () => {
      upstream.script('rate-limit:100', 'rate-limit:100');
      await send(channel);
      await eventually('both are told', async () => (await resting(channel)).every(Boolean));
    };
    await rest();
    await site.as(OPERATOR).channel.setStatus({ id: channel.id, status: 1 });
    expect(await resting(channel)).toEqual([false, false]);
    await rest();
    await site.as(OPERATOR).probe.test({ id: channel.id });
    expect((await resting(channel)).filter(Boolean)).toHaveLength(1);
  });

  test('the only key of a channel cools down only for the time its upstream states', async () => {
    const channel = await aChannel(KEYS.slice(0, 1));
    upstream.script({ refuse: { status: 429 } }, 'status:401');
    expect((await send(channel)).status).toBe(429);
    expect((await send(channel)).status).toBe(401);
    expect((await send(channel)).status).toBe(200);
  });

  test('other processes learn of a cooldown and of its end', async () => {
    const channel = await aChannel();
    const other = new CircuitBreakers(Date.now);
    await followKeyCooldowns(site.ctx, other);
    upstream.script('rate-limit:90');
    await send(channel);
    const key = await eventually('it is told', async () =>
      (await now(channel)).keys.find(({ resting_until }) => resting_until > 0),
    );
    await site.ctx.changes.pull();
    expect(other.cooldownMs(key.id, channel.models)).toBeGreaterThan(60_000);
    expect(other.cooldownMs(key.id, 'another')).toBe(0);
    const late = new CircuitBreakers(Date.now);
    await followKeyCooldowns(site.ctx, late);
    expect(late.cooldownMs(key.id, channel.models)).toBeGreaterThan(60_000);
    await site.as(OPERATOR).channel.wake({ id: channel.id });
    expect(other.cooldownMs(key.id, channel.models)).toBe(0);
  });
});
