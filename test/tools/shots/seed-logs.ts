/** Thirty days of the log, drawings and tasks, the same in every run but for the moment they end at. */
import { LOG_TYPE } from '../../../src/domain/logs/log-types.ts';
import { DRAWING_ACTIONS, DRAWING_STATUSES } from '../../../src/domain/statuses.ts';
import type { LogRow } from '../../../src/store/logs/log-row.ts';
import type { ImageTaskRow, TaskRow } from '../../../src/store/tables/listed-tasks.ts';
import type { Dice } from './dice.ts';

/** What a call of each model costs: ratios of the price, and how often it is called. */
const MODELS = [
  { name: 'gpt-4o-mini', ratio: 0.075, completion: 4, share: 30 },
  { name: 'gpt-4o', ratio: 1.25, completion: 4, share: 18 },
  { name: 'claude-sonnet-4-20250514', ratio: 1.5, completion: 5, share: 16, claude: true },
  { name: 'deepseek-chat', ratio: 0.135, completion: 4, share: 12 },
  { name: 'gemini-2.5-pro', ratio: 0.625, completion: 8, share: 9 },
  { name: 'o4-mini', ratio: 0.55, completion: 4, share: 6 },
  { name: 'qwen-max', ratio: 0.8, completion: 3, share: 4 },
  { name: 'claude-3-5-haiku', ratio: 0.4, completion: 5, share: 3, claude: true },
  { name: 'mistral-large', ratio: 1, completion: 3, share: 1 },
  { name: 'text-embedding-3-small', ratio: 0.01, completion: 1, share: 1 },
] as const;

const GROUPS = ['default', 'vip', 'default', 'default', 'bulk'];
const GROUP_RATIO: Readonly<Record<string, number>> = { default: 1, vip: 0.8, bulk: 0.5 };
const FAILURES = [
  { status: 429, type: 'rate_limit_error', text: 'Rate limit reached for requests per minute' },
  { status: 503, type: 'server_error', text: 'The engine is currently overloaded' },
  { status: 401, type: 'invalid_request_error', text: 'Incorrect API key provided' },
  { status: 504, type: 'timeout', text: 'The upstream did not answer within 60 s' },
];

export interface Owner {
  readonly id: number;
  readonly username: string;
}

interface LogSeed {
  readonly lines: number;
  readonly owners: readonly Owner[];
  readonly channels: number;
  readonly nowSec: number;
}

export function seedLogs(dice: Dice, seed: LogSeed): LogRow[] {
  const times = Array.from({ length: seed.lines }, () => timeOf(dice, seed.nowSec)).sort(
    (a, b) => a - b,
  );
  const lines = times.map((at, index) => line(dice, seed, at, index));
  const newest = lines.slice(-8, -7).map((row) => ({ ...row, other: '{"model_ratio": 0.07' }));
  return [...lines, ...newest, ...moments(seed)];
}

/** Half of all calls by day, and more of them lately. */
function timeOf(dice: Dice, nowSec: number): number {
  const back = Math.floor(30 * 86_400 * dice.unit() ** 1.4);
  const at = nowSec - back;
  const hour = new Date(at * 1000).getUTCHours();
  return (hour >= 16 || hour < 1) && dice.unit() < 0.7 ? Math.min(nowSec, at + 9 * 3600) : at;
}

const LONG_PROMPT = 4_000;

function line(dice: Dice, seed: LogSeed, at: number, index: number): LogRow {
  const model = dice.weighted(MODELS);
  const owner = dice.weighted(seed.owners.map((row, i) => ({ ...row, share: i < 4 ? 8 : 1 })));
  const group = dice.pick(GROUPS);
  const isStream = dice.unit() < 0.7;
  const prompt = dice.whole(40, 9000);
  const completion = dice.whole(10, 1400);
  const cached = dice.unit() < 0.4 ? Math.floor(prompt * 0.6) : 0;
  const channel = dice.whole(1, seed.channels);
  const ms = dice.whole(300, 9000) + completion * 9;
  const ratio = GROUP_RATIO[group] ?? 1;
  const usage = { input: prompt - cached, cacheRead: cached, output: completion };
  const exact =
    (usage.input + usage.cacheRead * 0.5 + usage.output * model.completion) * model.ratio * ratio;
  const retried = dice.unit() < 0.06 ? [dice.whole(1, seed.channels), channel] : [channel];
  const base: LogRow = {
    request_id: `req-${index.toString(36).padStart(6, '0')}`,
    user_id: owner.id,
    created_at: at,
    type: LOG_TYPE.consume,
    content: '',
    username: owner.username,
    token_name: dice.pick(['laptop', 'ci', '生产环境', 'ide-key', 'batch']),
    model_name: model.name,
    quota: Math.max(1, Math.round(exact)),
    // The cost of every third channel is unknown.
    cost: channel % 3 === 0 ? null : Math.max(1, Math.round((exact / ratio) * 0.7)),
    prompt_tokens: prompt,
    completion_tokens: completion,
    use_time: Math.round(ms / 1000),
    use_time_ms: ms,
    first_token_ms: isStream ? dice.whole(180, 2600) : 0,
    is_stream: isStream,
    channel_id: channel,
    token_id: 1,
    group,
    client_ip: dice.unit() < 0.3 ? `203.0.113.${dice.whole(2, 250)}` : '',
    usage_source: 'upstream',
    other: JSON.stringify({
      rates: {
        input: 2 * model.ratio,
        output: 2 * model.ratio * model.completion,
        cache_read: model.ratio,
      },
      ...(prompt > LONG_PROMPT && { rate_conditions: [{ prompt_above: LONG_PROMPT }] }),
      cache_tokens: cached,
      model_price: -1,
      model_ratio: model.ratio,
      completion_ratio: model.completion,
      group_ratio: ratio,
      usage,
      admin_info: { use_channel: retried },
      ...(dice.unit() < 0.1 && {
        is_model_mapped: true,
        upstream_model_name: `${model.name}-2025-04-14`,
      }),
    }),
  };
  return dice.unit() < 0.03 ? failed(dice, base) : base;
}

function failed(dice: Dice, row: LogRow): LogRow {
  const { status, type, text } = dice.pick(FAILURES);
  return {
    ...row,
    type: LOG_TYPE.error,
    content: text,
    quota: 0,
    cost: null,
    prompt_tokens: 0,
    completion_tokens: 0,
    first_token_ms: 0,
    other: JSON.stringify({
      error_type: type,
      error_code: `upstream_${status}`,
      status_code: status,
      channel_id: row.channel_id,
      admin_info: { use_channel: [row.channel_id] },
    }),
  };
}

/** Lines that are no calls: what a wallet's history and the log's other types show. */
function moments({ owners, nowSec }: LogSeed): LogRow[] {
  const kinds = [
    { type: LOG_TYPE.top_up, content: 'Topped up online: $20.00', quota: 10_000_000 },
    { type: LOG_TYPE.check_in, content: 'Daily check-in: $0.12', quota: 60_000 },
    { type: LOG_TYPE.admin, content: 'Quota raised by an administrator', quota: 0 },
    { type: LOG_TYPE.system, content: 'A new user was given $1.00', quota: 500_000 },
    { type: LOG_TYPE.refund, content: 'The task failed', quota: 10_000 },
    { type: LOG_TYPE.refund, content: 'The task failed', quota: 37 },
    { type: LOG_TYPE.error, content: 'The key is not valid', quota: 0, use_time_ms: 5 },
  ];
  return owners.slice(0, 3).flatMap((owner, index) =>
    kinds.map(({ type, content, quota, use_time_ms = 0 }, kind) => ({
      request_id: '',
      user_id: owner.id,
      created_at: nowSec - 90 - index * 7000 - kind * 1500,
      type,
      content,
      username: owner.username,
      token_name: '',
      model_name: '',
      quota,
      cost: null,
      prompt_tokens: 0,
      completion_tokens: 0,
      use_time: 0,
      use_time_ms,
      first_token_ms: 0,
      is_stream: false,
      channel_id: 0,
      token_id: 0,
      group: '',
      client_ip: '',
      usage_source: '',
      other: '',
    })),
  );
}

const PROMPTS = [
  ['海边的灯塔，清晨薄雾，水彩', 'a lighthouse by the sea, morning mist, watercolour'],
  ['赛博朋克城市夜景', 'a cyberpunk city at night, neon rain'],
  ['一只戴围巾的柴犬', 'a shiba inu with a scarf, studio light'],
] as const;

/** Not submitted, submitted, waiting, duplicate. */
const DRAWING_CODES = [0, 1, 21, 22];

export function seedDrawings(
  dice: Dice,
  user: Owner,
  nowMs: number,
  image: string,
): Omit<ImageTaskRow, 'id'>[] {
  return Array.from({ length: 24 }, (_, index) => {
    const place = 23 - index;
    const status = DRAWING_STATUSES[place % DRAWING_STATUSES.length] ?? '';
    const [prompt, promptEn] = PROMPTS[place % PROMPTS.length] ?? PROMPTS[0];
    const submitted = nowMs - place * 5_400_000 - 60_000;
    const isDone = status === 'SUCCESS' || status === 'FAILURE';
    return {
      request_id: '',
      code: DRAWING_CODES[place % DRAWING_CODES.length] ?? 1,
      user_id: user.id,
      action: DRAWING_ACTIONS[place % DRAWING_ACTIONS.length] ?? '',
      mj_id: `17000000000${String(10_000 + place)}`,
      prompt,
      prompt_en: promptEn,
      description: '',
      state: '',
      submit_time: submitted,
      start_time: submitted + 2000,
      finish_time: isDone ? submitted + dice.whole(20_000, 95_000) : 0,
      image_url: status === 'SUCCESS' ? image : '',
      status,
      progress: status === 'SUCCESS' ? '100%' : status === 'SUBMITTED' ? '0%' : '46%',
      fail_reason: status === 'FAILURE' ? 'Banned prompt detected' : '',
      channel_id: 5,
      quota: 50_000,
      buttons: '',
      properties: '',
    };
  });
}

const TASK_STATES = ['SUCCESS', 'IN_PROGRESS', 'QUEUED', 'FAILURE', '', 'UNKNOWN', 'SUBMITTED'];

export function seedTasks(user: Owner, nowSec: number): Omit<TaskRow, 'id'>[] {
  return [...TASK_STATES].reverse().map((status, index) => {
    const place = TASK_STATES.length - 1 - index;
    const at = nowSec - place * 40 - 30;
    const isDone = status === 'SUCCESS' || status === 'FAILURE';
    return {
      request_id: '',
      task_id: `5f1c2d3e-0000-4000-8000-00000000000${place}`,
      platform: 'suno',
      user_id: user.id,
      channel_id: 6,
      quota: 10_000,
      action: place % 2 === 0 ? 'MUSIC' : 'LYRICS',
      status,
      fail_reason: status === 'FAILURE' ? 'The lyrics were refused by the upstream' : '',
      created_at: at,
      updated_at: at,
      submit_time: at,
      start_time: at + 2,
      finish_time: isDone ? at + 24 + place * 20 : 0,
      progress: isDone ? '100%' : status === 'IN_PROGRESS' ? '35%' : '0%',
      properties: '',
      data: '',
    };
  });
}
