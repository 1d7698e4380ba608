/** A gateway that has been in use for a month: enough of everything that no screen is empty. */

import type { Actor } from '../../../src/api/call.ts';
import type { OpenedSite } from '../../../src/boot.ts';
import { LOG_TYPE } from '../../../src/domain/logs/log-types.ts';
import { type LocalApi, localApi } from '../../../src/handlers.ts';
import { disableChannel } from '../../../src/services/channels/channel-health.ts';
import { refusalReason } from '../../../src/services/channels/channel-reasons.ts';
import { aggregateLogs } from '../../../src/services/logs/hourly-aggregates.ts';
import { insertLogs } from '../../../src/store/logs/log-rows.ts';
import {
  insertOutcomes,
  type OutcomeRow,
} from '../../../src/store/tables/channel-outcomes-table.ts';
import { serviceAccount } from '../../support/cloud-credentials.ts';
import { type Dice, dice } from './dice.ts';
import { seedBudgets } from './seed-budgets.ts';
import { failingOutcomes, seedPools, seedUnusableCodes } from './seed-faults.ts';
import { type Owner, seedDrawings, seedLogs, seedTasks } from './seed-logs.ts';

export const ROOT = { username: 'root', password: 'correct horse battery' } as const;
export const USER = { username: 'alice', password: 'battery staple' } as const;
/** A user without tokens, calls and messages. */
export const NEWCOMER = { username: 'newcomer', password: 'battery staple' } as const;
export const UPSTREAM_KEY = 'sk-fake-upstream-key';

const OPERATOR: Actor = { kind: 'operator' };
const ROWS_AT_ONCE = 50;

/** @param upstream address of the fake upstream that the first channel speaks to */
export async function seed(booted: OpenedSite, upstream: string, site: string): Promise<void> {
  const { ctx } = booted;
  const api = localApi(ctx, OPERATOR);
  const chance = dice(20261121);
  const password = ROOT.password;
  await api.setup.run({ username: ROOT.username, password, confirmPassword: password });
  await seedOptions(api, site);
  const owners = await seedUsers(api, chance);
  const [root, alice] = owners;
  if (root === undefined || alice === undefined) throw new Error('there are no users');
  const channels = await seedChannels(booted, api, chance, upstream);
  await insertOutcomes(ctx.db, failingOutcomes(await seedPools(booted, api)));
  await seedTokens(booted, api, [root, alice]);
  await seedBudgets(booted, api);
  await seedCodes(api);
  await seedUnusableCodes(booted, api);
  await seedMessages(booted, api, [root.id, alice.id]);
  const nowSec = Math.floor(Date.now() / 1000);
  const logs = seedLogs(chance, { lines: 5000, owners, channels: channels.length, nowSec });
  const drawings = seedDrawings(chance, root, Date.now(), 'https://pictures.example.com/1.png');
  await ctx.db.transaction(async (trx) => {
    await insertLogs(trx, logs);
    await trx.batchInsert('midjourneys', drawings, ROWS_AT_ONCE);
    await trx.batchInsert('tasks', seedTasks(root, nowSec), ROWS_AT_ONCE);
  });
  await aggregateLogs(ctx);
  await countSpending(booted);
}

/** What the log says was spent, on the accounts: the seed's lines were never charged. */
async function countSpending({ ctx }: OpenedSite): Promise<void> {
  const spent: { user_id: number; quota: number; calls: number }[] = await ctx
    .db('logs')
    .where({ type: LOG_TYPE.consume })
    .groupBy('user_id')
    .select('user_id')
    .sum({ quota: 'quota' })
    .count({ calls: '*' });
  for (const { user_id: id, quota, calls } of spent)
    await ctx.db('users').where({ id }).update({ used_quota: quota, request_count: calls });
}

const CHATS = [
  { 'Lobe Chat': 'https://chat.example.com/?settings={"key":"{key}","url":"{address}"}' },
  { 网页对话: 'https://web.example.com/#/?key={key}&url={address}' },
];

async function seedOptions(api: LocalApi, site: string): Promise<void> {
  const options: Readonly<Record<string, unknown>> = {
    SystemName: 'AI Model Gateway',
    ServerAddress: site,
    CheckInEnabled: true,
    CheckInQuota: 60_000,
    AffEnabled: true,
    DrawingEnabled: true,
    DataExportEnabled: true,
    LogErrorEnabled: true,
    GroupRatio: { default: 1, vip: 0.8, bulk: 0.5, svip: 0.6 },
    UserUsableGroups: { default: '默认分组', vip: 'VIP, faster upstreams', bulk: '批量任务' },
    Chats: CHATS,
    PayAddress: 'https://pay.example.com',
    EpayId: '1001',
    EpayKey: 'merchant-key',
    TopUpLink: 'https://shop.example.com',
    'general_setting.docs_link': 'https://docs.example.com',
  };
  for (const [key, value] of Object.entries(options))
    await api.option.set({ key, value: value as string });
}

const PEOPLE = [
  ['alice', 'Alice Liddell'],
  ['bob', 'Bob'],
  ['wanglei', '王蕾'],
  ['zhangwei', '张伟（研发一部 平台组）'],
  ['maximilian12', 'Maximilian von und zu Hohenstein'],
  ['tanaka', '田中さくら'],
] as const;

async function seedUsers(api: LocalApi, chance: Dice): Promise<Owner[]> {
  const made: Owner[] = [{ id: 1, username: ROOT.username }];
  for (let index = 0; index < 24; index += 1) {
    const [username, displayName] = PEOPLE[index] ?? [`user${index}`, `User ${index}`];
    const user = await api.user.create({
      username,
      display_name: displayName.slice(0, 20),
      password: USER.password,
      group: chance.pick(['default', 'default', 'vip', 'bulk']),
      email: index % 3 === 0 ? `${username}@example.com` : '',
      quota: chance.whole(1, 60) * 500_000,
      role: username === 'bob' ? 10 : 1,
    });
    made.push({ id: user.id, username });
  }
  await api.user.create({ ...NEWCOMER, quota: 500_000 });
  await api.user.setQuota({ id: 1, mode: 'set', units: 250_000_000 });
  await api.user.manage({ id: made[22]?.id ?? 0, action: 'disable' });
  await api.user.manage({ id: made[23]?.id ?? 0, action: 'delete' });
  return made;
}

const UPSTREAMS = [
  { name: 'openai-main', type: 1, models: 'gpt-4o,gpt-4o-mini,o4-mini,text-embedding-3-small' },
  { name: 'azure-eu', type: 3, models: 'gpt-4o,gpt-4o-mini', tag: 'eu', other: '2024-10-21' },
  { name: 'claude-direct', type: 14, models: 'claude-sonnet-4-20250514,claude-3-5-haiku' },
  { name: 'gemini-pool', type: 24, models: 'gemini-2.5-pro,gemini-2.5-flash' },
  { name: 'mj-proxy', type: 2, models: 'mj_imagine,mj_upscale' },
  { name: 'suno-proxy', type: 36, models: 'suno_music,suno_lyrics' },
  { name: 'deepseek', type: 43, models: 'deepseek-chat,deepseek-reasoner' },
  { name: '通义千问 主线路', type: 17, models: 'qwen-max,qwen-plus,qwen-turbo', tag: 'cn' },
  { name: 'openrouter-backup', type: 20, models: 'gpt-4o,mistral-large,llama-3.3-70b' },
  { name: 'moonshot', type: 25, models: 'moonshot-v1-8k,moonshot-v1-32k', tag: 'cn' },
  { name: 'zhipu-v4', type: 26, models: 'glm-4-plus,glm-4-flash', tag: 'cn' },
  { name: 'vertex-us-central1', type: 41, models: 'gemini-2.5-pro', other: 'us-central1' },
  { name: 'ollama@rack-12.internal.example.com', type: 4, models: 'llama3.1:8b,qwen2.5:14b' },
  { name: 'mistral', type: 42, models: 'mistral-large,mistral-small' },
  { name: 'xai', type: 48, models: 'grok-3,grok-3-mini' },
] as const;
const MADE_CHANNELS = 42;

async function seedChannels(
  { ctx }: OpenedSite,
  api: LocalApi,
  chance: Dice,
  upstream: string,
): Promise<number[]> {
  const ids: number[] = [];
  const account = serviceAccount('example');
  for (let index = 0; index < MADE_CHANNELS; index += 1) {
    const row = UPSTREAMS[index % UPSTREAMS.length] ?? UPSTREAMS[0];
    const round = Math.floor(index / UPSTREAMS.length);
    const { id } = await api.channel.create({
      ...row,
      name: round === 0 ? row.name : `${row.name}-${round + 1}`,
      key: row.type === 41 ? account : UPSTREAM_KEY,
      base_url: index === 0 ? upstream : row.type === 1 ? '' : 'https://upstream.example.com',
      group: index % 4 === 0 ? 'default,vip' : 'default',
      priority: index === 0 ? 20 : chance.whole(0, 3) * 5,
      weight: chance.whole(0, 10),
      ...(index % 3 < 2 && { cost: { factor: 0.7 } }),
      status: index % 9 === 5 ? 2 : 1,
    });
    ids.push(id);
    await ctx
      .db('channels')
      .where({ id })
      .update({
        response_time: index === 7 ? 0 : chance.pick([640, 980, 1010, 2400, 3900, 7200]),
        test_time: Math.floor(Date.now() / 1000) - chance.whole(60, 90_000),
        used_quota: chance.whole(10_000, 90_000_000),
        balance: chance.whole(0, 12_000) / 100,
        balance_updated_time: Math.floor(Date.now() / 1000) - 4000,
      });
  }
  const [, azure = 0, , gemini = 0] = ids;
  const limit = refusalReason({ status: 429, message: 'quota exceeded for this resource' });
  await disableChannel(ctx, { channelId: azure, reason: limit });
  const refusal = refusalReason({ status: 400, message: 'API key not valid' });
  await disableChannel(ctx, { channelId: gemini, reason: refusal });
  await insertOutcomes(ctx.db, outcomes(chance, ids));
  return ids;
}

function outcomes(chance: Dice, ids: readonly number[]): OutcomeRow[] {
  return ids.flatMap((id, index) =>
    Array.from({ length: index % 7 === 6 ? 4 : 30 }, (_, beat) => {
      const ok = chance.unit() > (index === 1 ? 0.5 : 0.04);
      return {
        channel_id: id,
        test_run_id: 0,
        at_ms: Date.now() - (30 - beat) * 600_000,
        source: 'call' as const,
        ok,
        status: ok ? 200 : 429,
        latency_ms: chance.unit() < 0.08 ? 7400 : chance.whole(300, 3000),
        first_token_ms: chance.whole(100, 900),
        error_class: ok ? ('' as const) : ('limit' as const),
        model: 'gpt-4o',
        message: ok ? '' : 'Rate limit reached',
      };
    }),
  );
}

async function seedTokens(
  { ctx }: OpenedSite,
  api: LocalApi,
  owners: readonly Owner[],
): Promise<void> {
  const soonSec = Math.floor(Date.now() / 1000) + 2 * 86_400;
  for (const { id: user } of owners) {
    const make = (name: string, fields: object = {}) => api.token.create({ name, user, ...fields });
    await make('laptop', { unlimited_quota: true });
    await make('ci', { remain_quota: 2_500_000, expired_time: soonSec });
    await make('生产环境', { remain_quota: 60_000_000, group: 'vip' });
    await make('limited', {
      remain_quota: 5_000_000,
      model_limits_enabled: true,
      model_limits: 'gpt-4o,gpt-4o-mini',
      allow_ips: '203.0.113.0/24\n198.51.100.7',
      rate_limit_enabled: true,
    });
    const off = await make('old-notebook-of-the-data-team', { remain_quota: 900_000 });
    await api.token.setStatus({ id: off.id, status: 2 });
    const spent = await make('spent', { remain_quota: 500_000 });
    const gone = await make('trial', { remain_quota: 500_000 });
    await ctx.db('tokens').where({ id: spent.id }).update({ status: 4, remain_quota: 0 });
    await ctx.db('tokens').where({ id: gone.id }).update({ status: 3 });
    await ctx.db('tokens').where({ user_id: user }).update({ used_quota: 1_230_000 });
    await make('batch', { count: 8, remain_quota: 1_000_000 });
  }
}

async function seedCodes(api: LocalApi): Promise<void> {
  const nowSec = Math.floor(Date.now() / 1000);
  await api.redemption.create({ name: 'spring', quota: 5_000_000, count: 40 });
  await api.redemption.create({ name: '新年礼包', quota: 500_000, is_gift: true, max_uses: 100 });
  await api.redemption.create({ name: 'open gift', quota: 100_000, is_gift: true });
  await api.redemption.create({
    name: 'until next month',
    quota: 50_000_000,
    count: 18,
    valid_from: nowSec - 86_400,
    valid_until: nowSec + 30 * 86_400,
  });
  for (const id of [58, 57, 55]) await api.redemption.edit({ id, status: 2, status_only: true });
}

const WELCOME = `# Welcome

Your **first token** is waiting on the tokens page.

| Model | Input / 1M |
|---|---|
| gpt-4o-mini | $0.15 |
| claude-sonnet-4 | $3.00 |

\`\`\`bash
curl https://gateway.example.com/v1/models -H "Authorization: Bearer sk-..."
\`\`\``;
const LETTER =
  '<h2>Maintenance</h2><p style="width:2000px">The gateway pauses on <b>Sunday</b>, 03:00 to 03:20 UTC.</p>';

async function seedMessages(
  { ctx }: OpenedSite,
  api: LocalApi,
  readers: readonly number[],
): Promise<void> {
  const send = (title: string, content: string, format: 'markdown' | 'html' = 'markdown') =>
    api.message.create({ title, content, format, user_ids: [...readers] });
  for (let index = 1; index <= 9; index += 1)
    await send(`第 ${index} 期更新说明`, `本期新增了 **${index}** 个模型，旧模型的价格不变。`);
  await send('Maintenance on Sunday', LETTER, 'html');
  await send('Prices of reasoning models', 'From next month *o4-mini* costs a fifth less.');
  await send('Welcome', WELCOME);
  const read = { read_at: Math.floor(Date.now() / 1000) };
  await ctx.db('user_messages').where('message_id', '<=', 9).update(read);
}
