/**
 * `npm run bench -- --logs [--rows 10000000] [--db postgres]`: how fast a log is listed, filtered
 * and aggregated through the services, and how long calls wait for their log entry while half of it
 * is deleted, and what it costs to count the rest again. Each value is the median of several runs after a warm-up.
 */
import { argv, cpuUsage, pid } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../../../src/context.ts';
import { aggregateLogs } from '../../../../src/services/logs/hourly-aggregates.ts';
import { prepareLog } from '../../../../src/services/logs/log-clear.ts';
import { lastLogId } from '../../../../src/store/logs/log-rows.ts';
import { anEntry } from '../../../services/logs/log-entries.ts';
import { createLocalSite, OPERATOR, type TestUser } from '../../../support/local-site.ts';
import { backendsCpuUs } from '../environment/backends.ts';
import { rssBytes } from '../environment/processes.ts';
import { median, quantile } from '../load.ts';
import { saveResult } from '../results.ts';
import { fillLog } from './log-fill.ts';

const ENTRIES = Number(wordAfter('--rows') ?? 1_000_000);
const ENGINE = wordAfter('--db') === 'postgres' ? 'postgres' : 'sqlite';
const USERS = 200;
const TRIES = ENTRIES > 2_000_000 ? 3 : 9;
/** The dashboard reads more and is used less often. */
const GOAL_MS = {
  log: ENTRIES > 2_000_000 ? 300 : 100,
  dashboard: ENTRIES > 2_000_000 ? 300 : 1000,
};
const DAY = 86_400;
const WRITERS = 8;
const CALM_MS = 5_000;

const site = await createLocalSite(ENGINE);
try {
  const report = await measure(site.ctx, await users());
  saveResult(`logs-${ENGINE}-${ENTRIES}`, report);
  console.table(report.clearing);
  console.log(`filled in ${report.filled_sec} s; resident ${report.rss_mb} MB`);
  const slow = Object.entries(report.figures).filter(([, row]) => row.ms > row.goal_ms);
  if (slow.length > 0) throw new Error(`over the goal: ${slow.map(([name]) => name)}`);
} finally {
  await site.close();
}

function wordAfter(flag: string): string | undefined {
  const at = argv.indexOf(flag);
  return at < 0 ? undefined : argv[at + 1];
}

async function users(): Promise<TestUser[]> {
  const made: TestUser[] = [];
  for (let at = 0; at < USERS; at += 1) made.push(await site.aUser());
  for (let at = 0; at < 12; at += 1) await site.aChannel({ name: `channel ${at}` });
  return made;
}

async function measure(ctx: Context, people: readonly TestUser[]) {
  const nowSec = Math.floor(ctx.now() / 1000);
  const startSec = nowSec - 30 * DAY;
  await ctx.db('logs').delete();
  await prepareLog(ctx);
  const startedMs = performance.now();
  await fillLog(ctx, { lines: ENTRIES, users: USERS, startSec, spanSec: 30 * DAY });
  const filled_sec = Math.round((performance.now() - startedMs) / 1000);
  console.log(`${ENTRIES} entries are there after ${filled_sec} s`);
  const [person] = people;
  if (person === undefined) throw new Error('no user');
  const { log, data } = site.as(OPERATOR);
  const own = site.as(person.actor);
  const cut = { start_timestamp: startSec + 3 * DAY + 1234, end_timestamp: nowSec - DAY - 777 };
  const requests: Record<string, () => Promise<unknown>> = {
    'first page': () => log.list({}),
    'first page of 100': () => log.list({ page_size: 100 }),
    'page 50,000': () => log.list({ p: 50_000 }),
    'last page': () => log.list({ p: ENTRIES / 10 }),
    'by type': () => log.list({ type: 6 }),
    'by user': () => log.list({ username: person.username }),
    'by user and type, far back': () => log.list({ username: person.username, type: 6, p: 9 }),
    'by model': () => log.list({ model_name: 'model-7' }),
    'by model pattern': () => log.list({ model_name: '*-1*', ...cut }),
    'by channel': () => log.list({ channel: 3 }),
    'by a small group': () => log.list({ group: 'vip', p: 200 }),
    'by token': () => log.list({ token_name: 'token1' }),
    'by range': () => log.list(cut),
    'by user and model': () => log.list({ username: person.username, model_name: 'model-7' }),
    'by channel and model': () => log.list({ channel: 3, model_name: 'model-7' }),
    'by token, model and channel': () =>
      log.list({ token_name: 'token1', model_name: 'model-7', channel: 3 }),
    'by user, model and range': () =>
      log.list({ username: person.username, model_name: 'model-7', ...cut }),
    'by request': () => log.list({ request_id: 'req123456' }),
    'own first page': () => own.log.listOwn({}),
    stat: () => log.stat({}),
    'stat of a range': () => log.stat(cut),
    'stat of a user': () => log.stat({ username: person.username, ...cut }),
    'stat of a user and model': () =>
      log.stat({ username: person.username, model_name: 'model-7' }),
    'stat of a channel and model': () => log.stat({ channel: 3, model_name: 'model-7' }),
    'stat of a model and group': () => log.stat({ model_name: 'model-7', group: 'default' }),
    'stat of all but a user': () =>
      log.stat({ channel: 3, model_name: 'model-7', group: 'default', token_name: 'token1' }),
    'stat of a channel and model in a range': () =>
      log.stat({ channel: 3, model_name: 'model-7', ...cut }),
    'stat of a token name and model pattern': () =>
      log.stat({ token_name: 'token1', model_name: '*-1*' }),
    'stat by model': () => log.stat({ by: 'model' }),
    'stat by model of a user': () => log.stat({ by: 'model', username: person.username }),
    'stat by user of a channel': () => log.stat({ by: 'user', channel: 3 }),
    'stat by token of a model': () => log.stat({ by: 'token', model_name: 'model-7' }),
    'stat by user of a channel and model': () =>
      log.stat({ by: 'user', channel: 3, model_name: 'model-7' }),
    'stat by day of a channel and model': () =>
      log.stat({ by: 'day', channel: 3, model_name: 'model-7' }),
    'own stat': () => own.log.statOwn({}),
    'data of 30 days': () => data.list({ start_timestamp: startSec }),
    'data of a user': () => data.list({ start_timestamp: startSec, username: person.username }),
    'overview of a day': () => data.overview({}),
    'overview of 30 days': () => data.overview({ start_timestamp: startSec, step: 'day' }),
  };
  const figures: Record<string, { ms: number; goal_ms: number }> = {};
  for (const [name, query] of Object.entries(requests)) {
    const goal_ms = /^(data|overview)/.test(name) ? GOAL_MS.dashboard : GOAL_MS.log;
    figures[name] = { ms: await took(query), goal_ms };
  }
  console.table(figures);
  const clearing = await clearWhileWriting(ctx, startSec + 15 * DAY);
  const counting = await countAgain(ctx);
  console.table({ counting });
  const rss_mb = Math.round(rssBytes(pid) / 2 ** 20);
  return { lines: ENTRIES, engine: ENGINE, figures, clearing, counting, filled_sec, rss_mb };
}

/** Counts the entries that are left, as those of an import are counted. */
async function countAgain({ db, engine, ...ctx }: Context) {
  for (const table of ['log_hours', 'quota_data']) await db(table).delete();
  const last = await lastLogId(db);
  await db('log_progress').update({ counted_id: 0, settled_id: last });
  let entries = 0;
  const count = async () => {
    entries = await aggregateLogs({ ...ctx, db, engine });
  };
  const before = cpuUsage();
  const startedMs = performance.now();
  const backendsUs = engine === 'postgres' ? await backendsCpuUs(db, count) : await count();
  const perSecond = Math.round((entries * 1_000) / (performance.now() - startedMs));
  const { user, system } = cpuUsage(before);
  const each = (us: number) => Math.round((us * 10) / entries) / 10;
  return {
    entries,
    per_second: perSecond,
    node_us: each(user + system),
    backends_us: each(backendsUs ?? 0),
  };
}

/** How long finished calls wait for their commit, before and during the deletion of log entries. */
async function clearWhileWriting(ctx: Context, before: number) {
  let waits: number[] = [];
  let isOver = false;
  const write = async (writer: number) => {
    for (let call = 0; !isOver; call += 1) {
      const requestId = `bench-${writer}-${call}`;
      const logs = [anEntry({ request_id: requestId, created_at: Math.floor(ctx.now() / 1000) })];
      const startedMs = performance.now();
      await ctx.ledger.close({ kind: 'close', requestId, logs });
      waits.push(performance.now() - startedMs);
      await pause(10);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  const sample = () => {
    const taken = waits;
    waits = [];
    const round = (ms: number) => Math.round(ms * 10) / 10;
    return {
      calls: taken.length,
      p50: round(quantile(taken, 0.5)),
      p99: round(quantile(taken, 0.99)),
      longest: round(Math.max(...taken)),
    };
  };
  await pause(CALM_MS);
  const calm = { ...sample(), lines: 0, seconds: CALM_MS / 1000 };
  const startedMs = performance.now();
  const entries = await site.as(OPERATOR).log.clear({ before });
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
  const clearing = { ...sample(), entries, seconds };
  isOver = true;
  await Promise.all(writers);
  return { calm, clearing };
}

async function took(query: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let attempt = 0; attempt <= TRIES; attempt += 1) {
    const startedMs = performance.now();
    await query();
    if (attempt > 0) times.push(performance.now() - startedMs);
  }
  return Math.round(median(times) * 10) / 10;
}
