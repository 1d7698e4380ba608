/**
 * Real, built `gateway serve` processes on one database, for behaviour between processes. One user
 * with 10 USD, one channel to a fake upstream, and the key of one unlimited token.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa, type ResultPromise } from 'execa';
import { Agent, request } from 'undici';
import { expect } from 'vitest';
import type * as z from 'zod/mini';
import type { NewToken } from '../../../src/api/accounts/token.ts';
import { boot } from '../../../src/boot.ts';
import { loadConfig } from '../../../src/config.ts';
import type { Context } from '../../../src/context.ts';
import { localApi } from '../../../src/handlers.ts';
import { openAccount } from '../../../src/services/accounts/new-account.ts';
import { writing } from '../../../src/services/cluster/announced-write.ts';
import type { Engine } from '../../../src/store/connection/engine.ts';
import { freshDatabase } from '../../support/databases.ts';
import { eventually, OPERATOR } from '../../support/site.ts';
import { type FakeUpstream, startFakeUpstream } from '../../upstream/server.ts';

/** Runs the build: loading all sources takes a busy machine longer than any of its limits. */
const ENTRY = path.join(import.meta.dirname, '../../../bin/gateway.js');
const STARTS_WITHIN_MS = 45_000;
const PACED = 'gpt-4o-mini+paced:12:20';
/** Its streams take a quarter of a second. */
const SLOW_MODEL = 'gpt-4o';
export const MODEL = 'gpt-4o-mini';

export interface Servers {
  readonly upstream: FakeUpstream;
  readonly key: string;
  readonly userId: number;
  /** The environment of a process of this site. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts a process and waits until it reports that it listens. */
  serve(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Served>;
  /** Accesses the database directly. */
  inSite<T>(work: (ctx: Context) => Promise<T>): Promise<T>;
  addToken(
    fields?: Partial<z.input<typeof NewToken>>,
  ): Promise<{ readonly id: number; readonly key: string }>;
  /** The number of charged calls. */
  charges(): Promise<number>;
  /** The ledger agrees and no hold is open. */
  expectLedgerAgrees(): Promise<void>;
  /** Ends all running processes and removes everything. */
  close(): Promise<void>;
}

export interface Served {
  readonly url: string;
  readonly pid: number;
  /** The output of the process and its workers so far. */
  readonly printed: () => string;
  readonly process: ResultPromise;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM; returns the exit status. */
  end(): Promise<number | undefined>;
}

export async function createServers(engine: Engine): Promise<Servers> {
  const database = await freshDatabase(engine);
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-servers-'));
  const upstream = await startFakeUpstream();
  const env = {
    GATEWAY_DATA: folder,
    GATEWAY_DB: database.dsn,
    GATEWAY_SECRET_KEY: randomBytes(32).toString('base64'),
    // With a hold for every call, the database shows which process runs it.
    GATEWAY_STRICT_HOLDS: 'true',
  };
  const inSite: Servers['inSite'] = async (work) => {
    const booted = await boot(loadConfig({ logLevel: 'silent' }, env));
    try {
      return await work(booted.ctx);
    } finally {
      await booted.close();
    }
  };
  const { key, userId } = await inSite((ctx) => furnish(ctx, upstream.url));
  const running: Served[] = [];
  return {
    upstream,
    key,
    userId,
    env,
    inSite,
    async serve(args = [], more = {}) {
      const served = await start(args, { HOME: folder, ...env, ...more });
      running.push(served);
      return served;
    },
    addToken: (fields) =>
      inSite((ctx) => {
        const token = { name: 'another', user: userId, unlimited_quota: true, ...fields };
        return localApi(ctx, OPERATOR).token.create(token);
      }),
    charges: () =>
      inSite(async (ctx) => {
        const [row] = await ctx.reads('ledger').where({ cause: 'charge' }).count({ n: '*' });
        return Number(row?.n);
      }),
    expectLedgerAgrees: () =>
      inSite(async (ctx) => {
        const { ok, checked } = await localApi(ctx, OPERATOR).ledger.verify({});
        expect({ ok, holds: checked.holds }).toEqual({ ok: true, holds: 0 });
      }),
    async close() {
      await Promise.all(running.map((one) => one.end()));
      await upstream.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function furnish(ctx: Context, upstream: string) {
  const api = localApi(ctx, OPERATOR);
  const userId = await writing(ctx, (ctx) => openAccount(ctx, OPERATOR, ACCOUNT));
  await api.channel.create({
    name: 'fake',
    key: 'sk-up',
    base_url: upstream,
    models: `${MODEL},${SLOW_MODEL}`,
    model_mapping: JSON.stringify({ [SLOW_MODEL]: PACED }),
  });
  const token = { name: 'caller', user: userId, unlimited_quota: true };
  return { userId, key: (await api.token.create(token)).key };
}

const ACCOUNT = {
  username: 'caller',
  password: '',
  display_name: '',
  role: 1,
  email: '',
  group: 'default',
  quota: 5_000_000,
} as const;

async function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Served> {
  const child = execa(process.execPath, [ENTRY, 'serve', '--no-web', ...withPort(args)], {
    extendEnv: false,
    env: { PATH: process.env.PATH, ...env },
    all: true,
    reject: false,
    // It must end by itself.
    forceKillAfterDelay: false,
  });
  let printed = '';
  child.all.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const [, url = ''] = await eventually(
    `gateway serve ${args.join(' ')} listens`,
    () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${printed}`);
      return /listening on (http:\S+)/.exec(printed) ?? undefined;
    },
    STARTS_WITHIN_MS,
  );
  return {
    url,
    pid: child.pid ?? 0,
    printed: () => printed,
    process: child,
    signal: (name) => void child.kill(name),
    async end() {
      child.kill('SIGTERM');
      return (await child).exitCode;
    },
  };
}

function withPort(args: readonly string[]): readonly string[] {
  return args.includes('--port') ? args : [...args, '--port', '0'];
}

export function send(
  url: string,
  key: string,
  { dispatcher, ...body }: { dispatcher?: Agent; model?: string; stream?: boolean } = {},
) {
  return request(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL,
      messages: [{ role: 'user', content: 'Hello' }],
      ...body,
    }),
    ...(dispatcher && { dispatcher }),
  });
}

export interface Load {
  /** Ends the load; returns the number of complete answers, and the results of other calls. */
  stop(): Promise<{ readonly answered: number; readonly failures: readonly string[] }>;
}

const CALLERS = 4;
const PAUSE_MS = 25;
/** Sooner than a replaced worker closes idle connections (5 seconds), however late timers run. */
const KEEP_ALIVE_MS = 1_000;

/** Callers that repeat calls on keep-alive connections, alternating whole answers and streams. */
export function steadyLoad(url: string, key: string): Load {
  const dispatcher = new Agent({ connections: CALLERS * 2, keepAliveTimeout: KEEP_ALIVE_MS });
  const failures: string[] = [];
  let answered = 0;
  let isOver = false;
  const caller = async (number: number): Promise<void> => {
    for (let turn = number; !isOver; turn += 1) {
      const stream = turn % 2 === 0;
      const failure = await failureOf(
        send(url, key, { dispatcher, stream, model: stream ? SLOW_MODEL : MODEL }),
        stream,
      );
      if (failure === undefined) answered += 1;
      else failures.push(failure);
      await pause(PAUSE_MS);
    }
  };
  const callers = Array.from({ length: CALLERS }, (_, number) => caller(number));
  return {
    async stop() {
      isOver = true;
      await Promise.all(callers);
      await dispatcher.close();
      return { answered, failures };
    },
  };
}

async function failureOf(
  answering: ReturnType<typeof send>,
  isStream: boolean,
): Promise<string | undefined> {
  try {
    const { statusCode, body } = await answering;
    const text = await body.text();
    const isWhole = isStream ? /data: \[DONE\]\s*$/.test(text) : text.includes('"usage"');
    return statusCode === 200 && isWhole ? undefined : `${statusCode} ${text.slice(-300)}`;
  } catch (error) {
    return String(error);
  }
}
