/** The site of `npm run edges`: two processes, an upstream that uses all it may, and budgets. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { boot } from '../../../src/boot.ts';
import { loadConfig } from '../../../src/config.ts';
import type { Context } from '../../../src/context.ts';
import { localApi } from '../../../src/handlers.ts';
import { writing } from '../../../src/services/cluster/announced-write.ts';
import { nowSecSql } from '../../../src/store/connection/clock.ts';
import type { Engine } from '../../../src/store/connection/engine.ts';
import { newestBudgetWindows } from '../../../src/store/tables/budgets-table.ts';
import { announceChange } from '../../../src/store/tables/changes-table.ts';
import { rawUpstream, SSE, streamText } from '../../relay/raw-upstream.ts';
import { aBudget } from '../../support/budgets.ts';
import { freshDatabase } from '../../support/databases.ts';
import { OPERATOR } from '../../support/site.ts';
import {
  buildProgram,
  type GatewayProcess,
  startProcess,
} from '../../system/ledger/gateway-process.ts';

const MODEL = 'even';
const TOKENS = 8;
const RICH = 1_000_000_000_000;
const ANSWER_MS = 30;
/** Until the holds of a killed process are released. */
const RECOVERY_MS: Readonly<Record<Engine, number>> = {
  sqlite: 5_000,
  postgres: 40_000,
  mysql: 40_000,
};
const SETTLED_LIMIT_MS = 60_000;

export interface EdgeWindow {
  readonly budgetId: number;
  readonly startsAtSec: number;
  readonly endsAtSec: number;
  readonly measure: 'units' | 'calls' | 'tokens';
  readonly limit: number;
  readonly spent: number;
  readonly held: number;
}

export interface EdgeSite {
  readonly tokens: readonly { readonly id: number; readonly key: string }[];
  /** The address of the process for a caller. */
  url(caller: number): string;
  /** Whether holds of a killed process may be open. */
  isRecovering(): boolean;
  /** The windows of a token's calls that ran at some time since then. */
  windowsOf(tokenId: number, sinceSec: number): Promise<readonly EdgeWindow[]>;
  /** The budgets in turn: the running window ends within two seconds. */
  endWindow(number: number): Promise<void>;
  killOne(number: number): Promise<void>;
  /** Waits until no call holds anything. */
  settled(): Promise<void>;
  windows(): Promise<{ windows: number; exceeded: number; held: number }>;
  verify(): Promise<{ readonly ok: boolean }>;
  close(): Promise<void>;
}

export async function openEdgeSite(kind: Engine): Promise<EdgeSite> {
  await buildProgram();
  const database = await freshDatabase(kind);
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-edges-'));
  const upstream = await rawUpstream();
  upstream.answer = async (response, { body }) => {
    upstream.requests.length = 0;
    await pause(Math.random() * ANSWER_MS);
    const { max_tokens: limit, n = 1, stream } = JSON.parse(body);
    const usage = { prompt_tokens: 3, completion_tokens: limit * n, total_tokens: 3 + limit * n };
    const text = { role: 'assistant', content: 'one' };
    if (stream === true) {
      const choices = [{ index: 0, delta: text, finish_reason: 'stop' }];
      response.writeHead(200, SSE).end(streamText({ choices }, { choices: [], usage }, '[DONE]'));
      return;
    }
    response.setHeader('content-type', 'application/json');
    const choices = [{ index: 0, message: text, finish_reason: 'stop' }];
    response.end(JSON.stringify({ choices, usage }));
  };
  const place = { dataDir: folder, database: database.dsn, logLevel: 'silent' };
  const beside = await boot(loadConfig(place, {}), { migrate: true });
  const { ctx } = beside;
  const { budgets, tokens } = await fill(ctx, upstream.url);
  const start = () =>
    startProcess({
      GATEWAY_DATA: folder,
      GATEWAY_DB: database.dsn,
      GATEWAY_WORKERS: kind === 'sqlite' ? '2' : '1',
      GATEWAY_LOG_LEVEL: 'silent',
    });
  // Two workers write one file; a database server has two nodes.
  const processes: GatewayProcess[] = [await start()];
  if (kind !== 'sqlite') processes.push(await start());
  let recoveringUntilMs = 0;
  const all = () =>
    ctx
      .db('budget_windows')
      .join('budgets', 'budgets.id', 'budget_windows.budget_id')
      .select('subject', 'subject_id', 'budget_id', 'starts_at', 'ends_at')
      .select('measure', 'limit_amount', 'spent', 'held');
  return {
    tokens,
    url: (caller) => processes[caller % processes.length]?.url ?? '',
    isRecovering: () => Date.now() < recoveringUntilMs,
    async windowsOf(tokenId, sinceSec) {
      const rows = await all().where('ends_at', '>=', sinceSec);
      return rows
        .filter(({ subject, subject_id: id }) => subject !== 'token' || id === String(tokenId))
        .map((row) => ({
          budgetId: Number(row.budget_id),
          startsAtSec: Number(row.starts_at),
          endsAtSec: Number(row.ends_at),
          measure: row.measure,
          limit: Number(row.limit_amount),
          spent: Number(row.spent),
          held: Number(row.held),
        }));
    },
    async endWindow(number) {
      const id = budgets[number % budgets.length] ?? 0;
      await writing(ctx, async ({ db }) => {
        const [newest] = await newestBudgetWindows(db, [id]);
        if (newest === undefined) return;
        await db('budget_windows')
          .where({ budget_id: id, starts_at: newest.startsAtSec })
          .update({ ends_at: db.raw(`${nowSecSql(db)} + ${1 + (number % 2)}`) });
        await announceChange(db, 'budgets', id);
      });
    },
    async killOne(number) {
      recoveringUntilMs = Number.POSITIVE_INFINITY;
      const at = number % processes.length;
      await processes[at]?.kill(number);
      processes[at] = await start();
      recoveringUntilMs = Date.now() + RECOVERY_MS[kind];
    },
    async settled() {
      for (let waitedMs = 0; waitedMs < SETTLED_LIMIT_MS; waitedMs += 500) {
        if ((await ctx.db('holds').first('request_id')) === undefined) return;
        await pause(500);
      }
    },
    async windows() {
      const rows = await all();
      const exceeded = rows.filter((row) => Number(row.spent) > Number(row.limit_amount)).length;
      const held = rows.reduce((sum, row) => sum + Number(row.held), 0);
      return { windows: rows.length, exceeded, held };
    },
    verify: () => localApi(ctx, OPERATOR).ledger.verify({ full: true }),
    async close() {
      for (const one of processes) await one.kill();
      await beside.close();
      await upstream.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function fill(ctx: Context, upstream: string) {
  const api = localApi(ctx, OPERATOR);
  for (const key of ['ModelRatio', 'CompletionRatio'])
    await api.option.set({ key, value: JSON.stringify({ [MODEL]: 1 }) });
  const channel = { name: 'upstream', key: 'sk-upstream', base_url: upstream, models: MODEL };
  await api.channel.create(channel);
  const user = { username: 'payer', password: 'correct horse', quota: RICH };
  const { id: userId } = await api.user.create(user);
  const tokens: { readonly id: number; readonly key: string }[] = [];
  for (let at = 0; at < TOKENS; at += 1)
    tokens.push(
      await api.token.create({ name: `token ${at}`, user: userId, unlimited_quota: true }),
    );
  const budgets = [
    await aBudget(ctx, {
      subject: 'user',
      subject_id: String(userId),
      period: 'day',
      limit_amount: 60_000,
    }),
    await aBudget(ctx, { measure: 'tokens', period: 'week', limit_amount: 80_000 }),
    await aBudget(ctx, {
      subject: 'model',
      subject_id: MODEL,
      measure: 'calls',
      period: '5h',
      limit_amount: 1_200,
    }),
  ];
  for (const { id } of tokens)
    budgets.push(
      await aBudget(ctx, {
        subject: 'token',
        subject_id: String(id),
        period: 'hour',
        limit_amount: 12_000,
      }),
    );
  return { budgets, tokens };
}
