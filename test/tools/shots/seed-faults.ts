/** What an operator must notice: failing channels, pools with half of their keys off, unusable codes. */
import type { OpenedSite } from '../../../src/boot.ts';
import { REDEMPTION_STATUS } from '../../../src/domain/statuses.ts';
import type { LocalApi } from '../../../src/handlers.ts';
import { disableKey } from '../../../src/services/channels/channel-health.ts';
import { refusalReason } from '../../../src/services/channels/channel-reasons.ts';
import type { OutcomeRow } from '../../../src/store/tables/channel-outcomes-table.ts';

const DAY_SEC = 86_400;

/** Codes that are expired, not yet valid and used up. */
export async function seedUnusableCodes({ ctx }: OpenedSite, api: LocalApi): Promise<void> {
  const nowSec = Math.floor(Date.now() / 1000);
  const changed = (name: string, columns: object) =>
    ctx.db('redemptions').where({ name }).update(columns);
  await api.redemption.create({ name: 'summer, expired', quota: 2_500_000, count: 3 });
  await changed('summer, expired', {
    valid_from: nowSec - 90 * DAY_SEC,
    valid_until: nowSec - 2 * DAY_SEC,
  });
  await api.redemption.create({
    name: 'next year',
    quota: 1_000_000,
    count: 2,
    valid_from: nowSec + 40 * DAY_SEC,
  });
  await api.redemption.create({ name: 'used by one', quota: 4_321, count: 2 });
  await changed('used by one', {
    status: REDEMPTION_STATUS.used,
    used_user_id: 3,
    used_count: 1,
    redeemed_time: nowSec - 5 * DAY_SEC,
  });
  const gift = { quota: 100_000, is_gift: true, max_uses: 50 };
  await api.redemption.create({ ...gift, name: '五十人礼包（已用完）' });
  await changed('五十人礼包（已用完）', {
    status: REDEMPTION_STATUS.used,
    used_count: 50,
    redeemed_time: nowSec - DAY_SEC,
  });
}

const POOL_KEYS = 8;

/** Pools of keys with long names; half of the first pool's keys are refused. Without a price: one model. */
export async function seedPools({ ctx }: OpenedSite, api: LocalApi): Promise<number[]> {
  const ids: number[] = [];
  for (const region of ['frankfurt', 'singapore', 'us-east-1']) {
    const { id } = await api.channel.create({
      name: `reseller-pool-with-eight-keys-${region}`,
      type: 1,
      key: Array.from({ length: POOL_KEYS }, (_, at) => `sk-pool-${region}-${at}`).join('\n'),
      base_url: 'https://pool.example.com',
      models: 'gpt-4o,gpt-4o-mini,house-model-without-a-price',
      group: 'default,vip,bulk',
      tag: 'aggregators-with-several-keys',
      priority: 18,
    });
    ids.push(id);
  }
  const [pool = 0] = ids;
  const reason = refusalReason({ status: 401, message: 'Incorrect API key provided' });
  const keyIds: number[] = await ctx.db('channel_keys').where({ channel_id: pool }).pluck('id');
  for (const keyId of keyIds.slice(0, POOL_KEYS / 2))
    await disableKey(ctx, { channelId: pool, keyId, reason });
  await ctx
    .db('channels')
    .where({ id: pool })
    .update({
      balance: 0.42,
      balance_updated_time: Math.floor(Date.now() / 1000) - 600,
    });
  return ids;
}

/** Every call of the first channel failed for a day, and the latest test of the second. */
export function failingOutcomes(ids: readonly number[]): OutcomeRow[] {
  const [dead = 0, refused = 0] = ids;
  const failure = {
    test_run_id: 0,
    source: 'call',
    ok: false,
    status: 503,
    latency_ms: 2,
    first_token_ms: 0,
    error_class: 'server',
    model: 'gpt-4o',
    message: 'The engine is currently overloaded',
  } as const;
  const calls = Array.from({ length: 30 }, (_, back) => ({
    ...failure,
    channel_id: dead,
    at_ms: Date.now() - (30 - back) * 3_000_000,
  }));
  const test = { ...failure, source: 'test', status: 401, error_class: 'key' } as const;
  return [
    ...calls,
    { ...test, channel_id: refused, at_ms: Date.now() - 60_000, message: 'Incorrect API key' },
  ];
}
