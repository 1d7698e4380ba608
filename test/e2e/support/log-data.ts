/** Lines of the log and tasks, put into the database of a gateway that runs. */
import path from 'node:path';
import type { Page } from '@playwright/test';
import type { Knex } from 'knex';
import { LOG_TYPE } from '../../../src/domain/logs/log-types.ts';
import { openDatabases } from '../../../src/store/connection/database.ts';
import type { LogRow } from '../../../src/store/logs/log-row.ts';
import { insertLogs } from '../../../src/store/logs/log-rows.ts';
import type { ImageTaskRow, TaskRow } from '../../../src/store/tables/listed-tasks.ts';
import { type MadeUser, makeUser, PASSWORD } from './admin-calls.ts';
import { beReader, signIn, test } from './browser.ts';
import { type Gateway, ROOT } from './gateway.ts';

/** The account that `setUp` makes. */
export const ROOT_ID = 1;

/** A streamed call of half a minute ago, charged 120 units by a ratio of 0.075. */
export function aCall(fields: Partial<LogRow> = {}): LogRow {
  return {
    request_id: 'req-of-a-test',
    user_id: ROOT_ID,
    created_at: Math.floor(Date.now() / 1000) - 30,
    type: LOG_TYPE.consume,
    content: '',
    username: 'root',
    token_name: 'laptop',
    model_name: 'gpt-4o-mini',
    quota: 120,
    cost: null,
    prompt_tokens: 1000,
    completion_tokens: 200,
    use_time: 4,
    use_time_ms: 4200,
    first_token_ms: 800,
    is_stream: true,
    channel_id: 3,
    token_id: 1,
    group: 'default',
    client_ip: '',
    usage_source: 'upstream',
    other: JSON.stringify(PLAIN_PRICE),
    ...fields,
  };
}

const PLAIN_PRICE = {
  model_ratio: 0.075,
  completion_ratio: 4,
  cache_ratio: 0.5,
  cache_tokens: 400,
  model_price: -1,
  group_ratio: 1,
  usage: { input: 600, cacheRead: 400, output: 200 },
};

export function aDrawing(fields: Partial<ImageTaskRow> = {}): Omit<ImageTaskRow, 'id'> {
  return {
    request_id: '',
    code: 1,
    user_id: ROOT_ID,
    action: 'IMAGINE',
    mj_id: '1700000000000001',
    prompt: 'a lighthouse',
    prompt_en: 'a lighthouse',
    description: '',
    state: '',
    submit_time: Date.now() - 90_000,
    start_time: Date.now() - 80_000,
    finish_time: Date.now() - 20_000,
    image_url: '',
    status: 'SUCCESS',
    progress: '100%',
    fail_reason: '',
    channel_id: 3,
    quota: 50_000,
    buttons: '',
    properties: '',
    ...fields,
  };
}

export function aTask(fields: Partial<TaskRow> = {}): Omit<TaskRow, 'id'> {
  const nowSec = Math.floor(Date.now() / 1000);
  return {
    request_id: '',
    task_id: 'task-1',
    platform: 'suno',
    user_id: ROOT_ID,
    channel_id: 3,
    quota: 10_000,
    action: 'MUSIC',
    status: 'SUCCESS',
    fail_reason: '',
    created_at: nowSec - 100,
    updated_at: nowSec - 20,
    submit_time: nowSec - 100,
    start_time: nowSec - 95,
    finish_time: nowSec - 20,
    progress: '100%',
    properties: '',
    data: '',
    ...fields,
  };
}

interface Data {
  readonly logs?: readonly LogRow[];
  readonly drawings?: readonly Omit<ImageTaskRow, 'id'>[];
  readonly tasks?: readonly Omit<TaskRow, 'id'>[];
  /** Units that root has used. */
  readonly used?: number;
}

/** A statement of SQLite takes only so many values. */
const ROWS_AT_ONCE = 50;

export async function store(
  { folder }: Pick<Gateway, 'folder'>,
  { logs = [], drawings = [], tasks = [], used = 0 }: Data,
): Promise<void> {
  const databases = await openDatabases(path.join(folder, 'gateway.sqlite'));
  try {
    await databases.db.transaction((trx) => fill(trx, { logs, drawings, tasks, used }));
  } finally {
    await databases.close();
  }
}

async function fill(trx: Knex.Transaction, { logs, drawings, tasks, used }: Required<Data>) {
  await trx('users').where({ id: ROOT_ID }).increment('used_quota', used);
  await insertLogs(trx, logs);
  await trx.batchInsert('midjourneys', [...drawings], ROWS_AT_ONCE);
  await trx.batchInsert('tasks', [...tasks], ROWS_AT_ONCE);
}

/** Gives the tests of this place a gateway of their own with these records. */
export function onOwnSite(site: string, records: Data = {}): void {
  test.use({ site });
  test.beforeAll(async ({ gateways }) => store(await gateways.of(site), records));
  test.afterAll(({ gateways }) => gateways.end(site));
}

/** Signs the browser in as a new ordinary user. */
export async function signInAsSomeone(page: Page): Promise<MadeUser> {
  await beReader(page, ROOT);
  const user = await makeUser(page);
  await signIn(page, { username: user.username, password: PASSWORD });
  return user;
}
