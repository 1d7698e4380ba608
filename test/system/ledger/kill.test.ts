/**
 * Kills the gateway, also one with workers, under full load repeatedly. After each start no hold is open, the ledger agrees
 * with the balances, complete answers are charged once and exactly, and nothing is charged that the
 * upstream did not serve. KILL_ROUNDS sets the number of rounds, which is greater at
 * night.
 */
import { env } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiCalls } from '../../../src/api/all.ts';
import { localClient } from '../../../src/api/local.ts';
import { boot, type OpenedSite } from '../../../src/boot.ts';
import { loadConfig } from '../../../src/config.ts';
import { handlers } from '../../../src/handlers.ts';
import type { Engine } from '../../../src/store/connection/engine.ts';
import { type LedgerEntryRow, pageOfEntries } from '../../../src/store/ledger/ledger-queries.ts';
import { aBudget } from '../../support/budgets.ts';
import {
  databases,
  emptyDatabase,
  type FreshDatabase,
  freshDatabase,
} from '../../support/databases.ts';
import { eventually, OPERATOR } from '../../support/site.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { expectedUsage } from '../../upstream/content/usage.ts';
import { type FakeUpstream, startFakeUpstream } from '../../upstream/server.ts';
import { buildProgram, type GatewayProcess, startProcess } from './gateway-process.ts';
import { COMPLETION_TENTHS, RATIO_TENTHS, unitsOf } from './receipts.ts';

const ROUNDS: Readonly<Record<Engine, number>> = {
  sqlite: Number(env.KILL_ROUNDS ?? 2),
  postgres: Number(env.KILL_ROUNDS ?? 2),
  mysql: Number(env.KILL_ROUNDS ?? 2),
};
const CALLERS = 48;
const OPENING = 1_000_000_000;
const MODELS = ['gpt-4o-mini', 'gpt-4o-mini+delay:8', 'gpt-4o-mini+paced:8:4'];
/** Milliseconds of load before the kill: from the first answers to the middle of the traffic. */
const LONGEST_LOAD_MS = 400;

/** A call as seen by its caller; only complete answers matter. */
interface Answered {
  readonly requestId: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const SERVERS = databases.flatMap(({ kind }) =>
  (kind === 'sqlite' ? [1, 2] : [1]).map((workers) => ({ kind, workers })),
);

describe.each(SERVERS)('kill -9 on $kind, workers: $workers', ({ kind, workers }) => {
  let database: FreshDatabase;
  /** On PostgreSQL the log has a separate database. */
  let log: FreshDatabase | undefined;
  let folder: string;
  let upstream: FakeUpstream;
  /** Runs beside the server like a CLI command: sets up the site and reads the ledger. */
  let beside: OpenedSite;
  let keys: string[];
  let gateway: GatewayProcess;
  /** The cost of every call that reached the upstream, if served completely. */
  const prices = new Map<string, number>();
  const answered: Answered[] = [];
  let holdsLeft = 0;
  let cutOff = 0;

  beforeAll(async () => {
    await buildProgram();
    database = await freshDatabase(kind);
    log = kind === 'postgres' ? await emptyDatabase(kind) : undefined;
    folder = tempFolder();
    upstream = await startFakeUpstream();
    const databases = { database: database.dsn, logDatabase: log?.dsn ?? '' };
    const place = { dataDir: folder, ...databases, logLevel: 'silent' };
    beside = await boot(loadConfig(place, {}), { migrate: true });
    keys = await openSite(beside, upstream.url);
    gateway = await start();
  });
  afterAll(async () => {
    await gateway?.kill();
    await beside?.close();
    await upstream?.close();
    await database?.drop();
    await log?.drop();
  });

  const start = () =>
    startProcess({
      GATEWAY_DATA: folder,
      GATEWAY_DB: database.dsn,
      GATEWAY_LOG_DB: log?.dsn ?? '',
      // With workers, calls run on blocks, also those that budgets count.
      GATEWAY_STRICT_HOLDS: String(workers === 1),
      GATEWAY_WORKERS: String(workers),
      GATEWAY_LOG_LEVEL: 'silent',
    });
  const openHolds = async () => {
    const row = await beside.ctx.db('holds').count({ n: '*' }).first();
    return Number(row?.n);
  };
  const charges = async (): Promise<LedgerEntryRow[]> => {
    const window = { offset: 0, limit: 1_000_000 };
    return [...(await pageOfEntries(beside.ctx.db, { cause: 'charge' }, window)).rows];
  };

  /** All callers send calls until the server is gone; resolves when the last one has noticed. */
  const loadUntilKilled = async (round: number): Promise<void> => {
    const agent = new Agent({ connections: CALLERS });
    let isKilled = false;
    let callsMade = 0;
    const callers = Array.from({ length: CALLERS }, async (_, index) => {
      while (!isKilled) {
        callsMade += 1;
        const body = bodyOf(callsMade);
        const key = keys[index % keys.length] ?? '';
        const seen = await callOnce(gateway.url, agent, { key, body, mayDrain: workers > 1 });
        if (seen !== undefined) answered.push(seen);
        else cutOff += 1;
      }
    });
    await upstream.until((stats) => stats.servedInFull > CALLERS);
    await pause(Math.random() * LONGEST_LOAD_MS);
    isKilled = true;
    await gateway.kill(round);
    await Promise.all(callers);
    await agent.destroy();
  };
  const rememberPrices = async (): Promise<void> => {
    await upstream.until((stats) => stats.openCalls === 0);
    for (const { headers, body } of upstream.requests)
      prices.set(String(headers['x-client-request-id']), unitsOf(expectedUsage(JSON.parse(body))));
    // The usage it reported takes precedence over the planned usage.
    for (const [requestId, usage] of upstream.stats.reportedByRequest)
      prices.set(requestId, unitsOf(usage));
    upstream.reset();
  };

  it.each(Array.from({ length: ROUNDS[kind] }, (_, round) => round + 1))(
    'leaves a consistent ledger, round %i',
    async (round) => {
      await loadUntilKilled(round);
      holdsLeft += await openHolds();
      await rememberPrices();
      gateway = await start();

      expect(await openHolds()).toBe(0);
      const ledger = localClient(apiCalls.ledger, handlers.ledger, beside.ctx, OPERATOR);
      expect(await ledger.verify({})).toMatchObject({ ok: true, differences: [] });
      const units = new Map<string, number>();
      for (const row of await charges()) {
        expect(units.has(row.key), `${row.key} is charged once`).toBe(false);
        units.set(row.key, -row.user_units);
        expect(prices.get(row.key.replace('call:', '')), row.key).toBe(-row.user_units);
      }
      for (const { requestId, body } of answered)
        expect(units.get(`call:${requestId}`), requestId).toBe(unitsOf(expectedUsage(body)));
    },
  );

  it('kills processes while calls are running and quota is reserved', () => {
    expect(answered.length).toBeGreaterThan(CALLERS);
    expect(cutOff).toBeGreaterThan(0);
    expect(holdsLeft).toBeGreaterThan(0);
  });

  it('accounts for every missing unit with a charge', async () => {
    expect(await gateway.stop()).toBe(0);
    const spent = (await charges()).reduce((sum, row) => sum - row.user_units, 0);
    const row = await beside.ctx.db('users').where({ username: 'payer' }).first();
    expect(row).toMatchObject({
      quota: OPENING - spent,
      used_quota: spent,
      held: 0,
      request_count: (await charges()).length,
    });
    expect(await beside.ctx.db('nodes').select('id')).toEqual([]);
  });

  it('counts in windows of budgets what it charged, and holds nothing there', async () => {
    const limited = await beside.ctx.db('tokens').where({ name: 'limited' }).first('id');
    const own = (await charges()).filter(({ token_id }) => token_id === Number(limited.id));
    const windows: { measure: string; spent: unknown; held: unknown }[] = await beside.ctx
      .db('budget_windows')
      .join('budgets', 'budgets.id', 'budget_windows.budget_id')
      .groupBy('measure')
      .select('measure')
      .sum({ spent: 'spent', held: 'held' });
    const counted = new Map(windows.map((row) => [row.measure, Number(row.spent)]));
    expect(counted.get('units')).toBe(own.reduce((sum, row) => sum - row.user_units, 0));
    expect(counted.get('calls')).toBe(own.length);
    expect(windows.map((row) => Number(row.held))).toEqual([0, 0]);
  });

  it('writes exactly one log entry per charge', async () => {
    await eventually('no line is on its way', async () => {
      const [waiting] = await beside.ctx.db('log_outbox').limit(1).select('id');
      return waiting === undefined;
    });
    const lines = await (log ?? database).db('logs').where({ type: 2 }).pluck('request_id');
    const charged = (await charges()).map((row) => row.key.replace('call:', ''));
    expect(lines.sort()).toEqual(charged.sort());
  });
});

/** Creates a user with a token of each kind and a channel; returns the keys. */
async function openSite({ ctx }: OpenedSite, upstreamUrl: string): Promise<string[]> {
  const option = localClient(apiCalls.option, handlers.option, ctx, OPERATOR);
  const each = (value: number) =>
    JSON.stringify(Object.fromEntries(MODELS.map((model) => [model, value])));
  await option.set({ key: 'ModelRatio', value: each(Number(RATIO_TENTHS) / 10) });
  await option.set({ key: 'CompletionRatio', value: each(Number(COMPLETION_TENTHS) / 10) });
  await localClient(apiCalls.channel, handlers.channel, ctx, OPERATOR).create({
    name: 'upstream',
    key: 'sk-upstream',
    base_url: upstreamUrl,
    models: MODELS.join(','),
  });
  const user = await localClient(apiCalls.user, handlers.user, ctx, OPERATOR).create({
    username: 'payer',
    password: 'correct horse',
    quota: OPENING,
  });
  const token = localClient(apiCalls.token, handlers.token, ctx, OPERATOR);
  const limited = await token.create({ name: 'limited', user: user.id, remain_quota: OPENING });
  for (const [measure, period] of [
    ['units', 'total'],
    ['calls', 'hour'],
  ] as const) {
    const ofToken = { subject: 'token', subject_id: String(limited.id) };
    await aBudget(ctx, { ...ofToken, measure, period, limit_amount: OPENING });
  }
  const unlimited = await token.create({ name: 'free', user: user.id, unlimited_quota: true });
  return [limited.key, unlimited.key];
}

function bodyOf(number: number): Record<string, unknown> {
  const content = `Call ${number}: ${'a word '.repeat(number % 9)}`;
  return {
    model: MODELS[number % MODELS.length],
    messages: [{ role: 'user', content }],
    ...(number % 2 === 0 ? { stream: true } : {}),
  };
}

interface Call {
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** A worker whose parent was killed refuses further calls. */
  readonly mayDrain: boolean;
}

/** Undefined if the answer did not arrive completely. */
async function callOnce(
  url: string,
  dispatcher: Agent,
  { key, body, mayDrain }: Call,
): Promise<Answered | undefined> {
  const answer = await wholeAnswer(url, dispatcher, key, body).catch(() => undefined);
  if (answer === undefined) return undefined;
  const { status, requestId, text } = answer;
  if (mayDrain && status === 503) return undefined;
  if (status !== 200 || text.includes('data: {"error"'))
    throw new Error(`no answer but a refusal: ${text}`);
  const isWhole = body.stream !== true || text.endsWith('data: [DONE]\n\n');
  return isWhole ? { requestId, body } : undefined;
}

/** Rejects when the connection to the server breaks. */
async function wholeAnswer(
  url: string,
  dispatcher: Agent,
  key: string,
  body: Readonly<Record<string, unknown>>,
): Promise<{ status: number; requestId: string; text: string }> {
  const {
    statusCode,
    headers,
    body: answer,
  } = await request(`${url}/v1/chat/completions`, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: statusCode, requestId: String(headers['x-request-id']), text };
}
