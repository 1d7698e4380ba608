/**
 * Source databases as their programs create them (tables, columns and types of one-api 0.6, new-api
 * 0.8 and Veloera 0.5), with data typical of old installations: nulls, padded keys, zero dates,
 * broken JSON, deleted rows and orphaned rows.
 */
import { hashSync } from 'bcryptjs';
import type { Knex } from 'knex';
import type { SourceFamily } from '../../../src/domain/import/family.ts';
import type { Engine } from '../../../src/store/connection/engine.ts';
import { emptyDatabase, type FreshDatabase } from '../../support/databases.ts';

export const PASSWORD = 'old password 1';
export const ALICE_KEY = 'A1b2C3d4'.repeat(6);
export const SHORT_KEY = 'shortkey123';
export const ACCESS_TOKEN = '0123456789abcdef0123456789abcdef';
export const CODE = 'c0de'.repeat(8);

type Type = 'text' | 'int' | 'bigint' | 'bool' | 'double' | 'time' | `char(${number})` | 'id';
type Columns = Readonly<Record<string, Type>>;
type Tables = Readonly<Record<string, Columns>>;

const of = (type: Type, ...names: string[]): Columns =>
  Object.fromEntries(names.map((name) => [name, type]));

const USERS: Columns = {
  id: 'id',
  ...of('text', 'username', 'password', 'display_name', 'email', 'github_id', 'wechat_id'),
  ...of('text', 'oidc_id', 'group', 'aff_code'),
  ...of('int', 'role', 'status', 'request_count', 'inviter_id'),
  ...of('bigint', 'quota', 'used_quota'),
  access_token: 'char(32)',
};
const TOKENS: Columns = {
  id: 'id',
  key: 'char(48)',
  name: 'text',
  ...of('int', 'user_id', 'status'),
  ...of('bigint', 'created_time', 'accessed_time', 'expired_time', 'remain_quota', 'used_quota'),
  unlimited_quota: 'bool',
};
const CHANNELS: Columns = {
  id: 'id',
  ...of('text', 'key', 'name', 'base_url', 'other', 'models', 'group', 'model_mapping'),
  ...of('int', 'type', 'status', 'weight', 'response_time'),
  ...of('bigint', 'created_time', 'test_time', 'priority', 'used_quota', 'balance_updated_time'),
  balance: 'double',
};
const REDEMPTIONS: Columns = {
  id: 'id',
  key: 'char(32)',
  name: 'text',
  ...of('int', 'user_id', 'status', 'quota'),
  ...of('bigint', 'created_time', 'redeemed_time'),
};
const LOGS: Columns = {
  id: 'id',
  ...of('int', 'user_id', 'type', 'quota', 'prompt_tokens', 'completion_tokens', 'channel_id'),
  created_at: 'bigint',
  ...of('text', 'content', 'username', 'token_name', 'model_name'),
};
const OPTIONS: Columns = of('text', 'key', 'value');

/** Columns added by new-api and kept by Veloera. */
const LATER_USERS: Columns = {
  ...USERS,
  ...of('text', 'telegram_id', 'linux_do_id', 'setting'),
  ...of('int', 'aff_count', 'aff_quota', 'aff_history'),
  deleted_at: 'time',
};
const LATER_TOKENS: Columns = {
  ...TOKENS,
  ...of('text', 'model_limits', 'allow_ips', 'group'),
  model_limits_enabled: 'bool',
  deleted_at: 'time',
};
const LATER_CHANNELS: Columns = {
  ...CHANNELS,
  ...of('text', 'openai_organization', 'test_model', 'status_code_mapping', 'other_info', 'tag'),
  ...of('text', 'setting', 'param_override'),
  auto_ban: 'int',
};
const LATER: Tables = {
  midjourneys: {
    id: 'id',
    ...of('int', 'code', 'user_id', 'channel_id', 'quota'),
    ...of('text', 'action', 'mj_id', 'prompt', 'status', 'progress', 'image_url', 'fail_reason'),
    ...of('bigint', 'submit_time', 'start_time', 'finish_time'),
  },
  tasks: {
    id: 'id',
    ...of('int', 'user_id', 'channel_id', 'quota'),
    ...of('text', 'task_id', 'platform', 'action', 'status', 'fail_reason', 'progress', 'data'),
    ...of('bigint', 'created_at', 'updated_at', 'submit_time', 'start_time', 'finish_time'),
  },
  top_ups: {
    id: 'id',
    ...of('int', 'user_id', 'amount'),
    money: 'double',
    ...of('text', 'trade_no', 'status'),
    create_time: 'bigint',
  },
  setups: { id: 'id', version: 'text', initialized_at: 'bigint' },
};

const SCHEMAS: Readonly<Record<SourceFamily, Tables>> = {
  'one-api': {
    users: { ...USERS, lark_id: 'text' },
    tokens: { ...TOKENS, models: 'text', subnet: 'text' },
    channels: { ...CHANNELS, config: 'text', system_prompt: 'text' },
    redemptions: REDEMPTIONS,
    logs: { ...LOGS, elapsed_time: 'bigint', is_stream: 'bool', request_id: 'text' },
    options: OPTIONS,
  },
  'new-api': {
    users: LATER_USERS,
    tokens: LATER_TOKENS,
    channels: { ...LATER_CHANNELS, channel_info: 'text', header_override: 'text' },
    redemptions: {
      ...REDEMPTIONS,
      used_user_id: 'int',
      expired_time: 'bigint',
      deleted_at: 'time',
    },
    logs: {
      ...LOGS,
      ...of('int', 'use_time', 'token_id'),
      ...of('text', 'group', 'ip', 'other'),
      is_stream: 'bool',
    },
    options: OPTIONS,
    passkey_credentials: { id: 'id', user_id: 'int', deleted_at: 'time' },
    two_fas: { id: 'id', user_id: 'int', is_enabled: 'bool', deleted_at: 'time' },
    user_subscriptions: {
      id: 'id',
      ...of('int', 'user_id', 'plan_id'),
      ...of('bigint', 'amount_total', 'amount_used', 'start_time', 'end_time'),
      status: 'text',
    },
    ...LATER,
  },
  veloera: {
    users: { ...LATER_USERS, last_check_in_time: 'time' },
    tokens: {
      ...LATER_TOKENS,
      rate_limit_enabled: 'bool',
      ...of('int', 'rate_limit_period', 'rate_limit_count', 'rate_limit_success'),
    },
    channels: { ...LATER_CHANNELS, system_prompt: 'text', model_prefix: 'text' },
    redemptions: {
      ...REDEMPTIONS,
      ...of('int', 'used_user_id', 'used_count', 'max_uses'),
      ...of('bigint', 'valid_from', 'valid_until'),
      is_gift: 'bool',
      deleted_at: 'time',
    },
    redemption_logs: { id: 'id', ...of('int', 'redemption_id', 'user_id'), used_time: 'bigint' },
    logs: {
      ...LOGS,
      ...of('int', 'use_time', 'token_id'),
      ...of('text', 'group', 'client_ip', 'other'),
      is_stream: 'bool',
    },
    options: OPTIONS,
    ...LATER,
  },
};

/**
 * Creates a source of this family on this database engine. `baseUrl` is the base URL of its working
 * channel.
 */
export async function aSource(
  family: SourceFamily,
  kind: Engine,
  baseUrl = 'http://127.0.0.1:1',
): Promise<FreshDatabase> {
  const database = await emptyDatabase(kind);
  const tables = SCHEMAS[family];
  for (const [table, columns] of Object.entries(tables)) await create(database.db, table, columns);
  const { db } = database;
  const insert = async (table: string, row: Readonly<Record<string, unknown>>) => {
    const known = tables[table] ?? {};
    if (table in tables)
      await db(table).insert(
        Object.fromEntries(Object.entries(row).filter(([column]) => column in known)),
      );
  };
  await fillAccounts(insert, family, kind);
  await fillChannels(insert, family, baseUrl);
  await fillRest(insert);
  return database;
}

type Insert = (table: string, row: Readonly<Record<string, unknown>>) => Promise<void>;

type MakeColumn = (table: Knex.CreateTableBuilder, name: string) => unknown;

const MAKE: Readonly<Record<string, MakeColumn>> = {
  id: (table, name) => table.bigIncrements(name),
  int: (table, name) => table.integer(name),
  bigint: (table, name) => table.bigInteger(name),
  bool: (table, name) => table.boolean(name),
  double: (table, name) => table.double(name),
  time: (table, name) => table.datetime(name).nullable(),
  text: (table, name) => table.text(name),
};

function create(db: Knex, name: string, columns: Columns): Promise<void> {
  return db.schema.createTable(name, (table) => {
    for (const [column, type] of Object.entries(columns)) {
      const make: MakeColumn = MAKE[type] ?? ((table, name) => table.specificType(name, type));
      make(table, column);
    }
  });
}

const DELETED = '2024-05-06 07:08:09';

async function fillAccounts(insert: Insert, family: SourceFamily, kind: Engine): Promise<void> {
  const password = hashSync(PASSWORD, 4);
  const root = {
    id: 1,
    username: 'root',
    password,
    role: 100,
    status: 1,
    quota: 100_000_000,
    used_quota: 0,
  };
  await insert('users', {
    ...root,
    group: 'default',
    aff_code: 'aaaa',
    access_token: ACCESS_TOKEN,
  });
  await insert('users', {
    ...{
      id: 2,
      username: 'alice',
      password,
      role: 1,
      status: 1,
      quota: 1_000_000,
      used_quota: 250_000,
    },
    ...{
      request_count: 7,
      email: 'alice@example.com',
      github_id: '42',
      group: 'vip',
      aff_code: 'bbbb',
    },
    ...{
      inviter_id: 3,
      aff_quota: 5,
      setting: JSON.stringify({
        ...{
          notify_type: 'webhook',
          webhook_url: 'https://hooks.example',
          webhook_secret: 'sesame',
        },
        record_ip_log: true,
      }),
      last_check_in_time: DELETED,
    },
    // MySQL stores a zero date.
    deleted_at: kind === 'mysql' ? '0000-00-00 00:00:00' : null,
  });
  await insert('users', {
    id: 3,
    username: 'bob',
    password: 'md5:1',
    role: 7,
    status: 2,
    quota: -5,
    email: 'ALICE@example.com',
    group: '',
  });
  const isOneApi = family === 'one-api';
  await insert('users', {
    id: 4,
    username: 'gone',
    password,
    role: 1,
    status: isOneApi ? 3 : 1,
    deleted_at: DELETED,
    quota: 9,
  });
  await insert('users', {
    id: 5,
    username: null,
    password: '',
    role: 1,
    status: 1,
    setting: '{broken',
  });

  const alice = { user_id: 2, status: 1, created_time: 1_700_000_000_000, expired_time: -1 };
  await insert('tokens', {
    ...{
      id: 11,
      ...alice,
      key: ALICE_KEY,
      name: 'work',
      remain_quota: 400_000,
      used_quota: 100_000,
      unlimited_quota: false,
    },
    ...{
      models: 'gpt-4o-mini',
      subnet: '127.0.0.0/8,::1',
      model_limits_enabled: true,
      model_limits: 'gpt-4o-mini',
    },
    ...{
      allow_ips: '127.0.0.0/8\n::1',
      rate_limit_enabled: true,
      rate_limit_period: 60,
      rate_limit_count: 100,
      rate_limit_success: 100,
    },
  });
  await insert('tokens', {
    id: 12,
    ...alice,
    key: SHORT_KEY,
    name: null,
    remain_quota: null,
    unlimited_quota: true,
    group: 'auto',
  });
  await insert('tokens', { id: 13, ...alice, user_id: 99, key: 'nobody', remain_quota: 1 });
  await insert('tokens', { id: 14, ...alice, key: '', remain_quota: 1 });
}

async function fillChannels(insert: Insert, family: SourceFamily, base_url: string): Promise<void> {
  const plain = {
    status: 1,
    models: 'gpt-4o-mini, gpt-4o,,',
    group: 'default,vip',
    created_time: 1_700_000_000,
  };
  await insert('channels', {
    id: 21,
    ...plain,
    type: 1,
    name: 'main',
    key: 'sk-fake-upstream-key',
    base_url,
    used_quota: 250_000,
    weight: null,
    priority: 5,
  });
  await insert('channels', { id: 22, ...plain, type: 38, name: 'unserved', key: 'k' });
  await insert('channels', { id: 23, ...plain, type: 99, name: 'unknown', key: 'k' });
  await insert('channels', {
    ...{
      id: 24,
      ...plain,
      name: 'odd',
      type: 43,
      status: 3,
      key: 'k1\nk2',
      model_mapping: '{no json',
      setting: '{"proxy":"http://p:1"}',
    },
    ...{
      channel_info: JSON.stringify({
        ...{ is_multi_key: true, multi_key_status_list: { 1: 3 } },
        multi_key_disabled_reason: { 1: 'quota used up' },
        multi_key_disabled_time: { 1: 1_700_000_000 },
      }),
      header_override: '{"X-A":"b"}',
    },
  });
  if (family === 'one-api')
    await insert('channels', {
      id: 25,
      ...plain,
      type: 42,
      name: 'vertex',
      key: 'region|p|{}',
      config: '{"region":"us-east1","vertex_ai_adc":"{\\"a\\":1}"}',
    });
}

async function fillRest(insert: Insert): Promise<void> {
  const options = {
    GroupRatio: '{"default":1,"vip":0.5}',
    ModelRatio: '{"gpt-4o-mini":0.075,"house-model":3}',
    SMTPToken: 'smtp-secret',
    RetryTimes: 'many',
    Theme: 'berry',
    SystemName: 'Old Site',
    QuotaPerUnit: '250000',
  };
  for (const [key, value] of Object.entries(options)) await insert('options', { key, value });
  await insert('redemptions', {
    id: 31,
    user_id: 1,
    key: CODE,
    status: 1,
    name: 'spring',
    quota: 500_000,
    created_time: 1_700_000_000,
  });
  await insert('redemptions', {
    id: 32,
    user_id: 1,
    key: 'used',
    status: 3,
    name: 'spring',
    quota: 5,
    redeemed_time: 1_700_000_001,
    used_user_id: 2,
    is_gift: true,
    max_uses: 1,
    used_count: 1,
  });
  await insert('redemption_logs', {
    id: 1,
    redemption_id: 32,
    user_id: 2,
    used_time: 1_700_000_001,
  });
  const CLAUDE_FACTS = '{"claude":true,"cache_tokens":20,"cache_creation_tokens":4}';
  for (let id = 1; id <= 3; id += 1)
    await insert('logs', {
      ...{
        id,
        user_id: 2,
        type: 2,
        quota: 10,
        created_at: 1_700_000_000 + id * 86_400,
        model_name: 'gpt-4o-mini',
        username: 'alice',
      },
      ...{
        channel_id: 21,
        token_id: 11,
        prompt_tokens: 3,
        completion_tokens: null,
        other: id === 1 ? CLAUDE_FACTS : 'not json',
        content: null,
        ip: '10.0.0.1',
        client_ip: '10.0.0.1',
      },
    });
  await insert('midjourneys', {
    id: 1,
    user_id: 2,
    channel_id: 21,
    action: 'IMAGINE',
    mj_id: 'm1',
    status: 'SUCCESS',
    progress: '100%',
    submit_time: 1_700_000_000_000,
  });
  await insert('midjourneys', {
    id: 2,
    user_id: 2,
    channel_id: 21,
    action: 'IMAGINE',
    mj_id: 'm2',
    status: 'IN_PROGRESS',
    progress: '10%',
  });
  await insert('tasks', {
    id: 1,
    user_id: 2,
    channel_id: 21,
    task_id: 't1',
    platform: 'suno',
    action: 'MUSIC',
    status: 'FAILURE',
    progress: '100%',
    submit_time: 1_700_000_000,
  });
  await insert('top_ups', {
    id: 1,
    user_id: 2,
    amount: 10,
    money: 73.5,
    trade_no: 'USR2NO1',
    status: 'success',
    create_time: 1_700_000_000,
  });
  await insert('setups', { id: 1, version: 'v0.5.1', initialized_at: 1_700_000_000 });
  await insert('passkey_credentials', { id: 1, user_id: 2 });
  await insert('passkey_credentials', { id: 2, user_id: 2 });
  for (const [id, user_id, is_enabled] of [
    [1, 1, true],
    [2, 3, true],
    [3, 2, false],
    [4, 4, true],
  ] as const)
    await insert('two_fas', { id, user_id, is_enabled });
  const plan = { plan_id: 1, status: 'active', start_time: 1_700_000_000, end_time: 4_000_000_000 };
  for (const [id, user_id, amount_total, amount_used, more] of [
    [1, 2, 900_000, 400_000, {}],
    [2, 2, 100_000, 0, {}],
    [3, 3, 0, 5, {}],
    [4, 3, 900_000, 0, { end_time: 1_700_000_001 }],
    [5, 99, 900_000, 0, {}],
  ] as const)
    await insert('user_subscriptions', {
      ...{ id, user_id, amount_total, amount_used, ...plan, ...more },
    });
}
