/**
 * Tests all channels, in the background of the process that started the run; the whole site has at
 * most one run at a time. Results are stored in the channel history, so that any node can stream
 * them.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type * as z from 'zod/mini';
import type { Actor, Service } from '../api/call.ts';
import type { channelTestCalls, TestRun } from '../api/channels/channel-probe.ts';
import type { Context } from '../context.ts';
import { AppError } from '../domain/errors/errors.ts';
import { CHANNEL_STATUS } from '../domain/statuses.ts';
import { parsedObject } from '../json/parse-json-object.ts';
import { type EventAudience, storedText } from '../locales/event-text.ts';
import { requireChannelEntry } from '../services/cache/routing-cache.ts';
import { limitUpstreamQueries } from '../services/channels/upstream-query-limit.ts';
import { takeTurn } from '../services/cluster/exclusive-work.ts';
import { inParallel } from '../services/cluster/in-parallel.ts';
import { actorName, eventAudience } from '../services/logs/audit.ts';
import { notifyTestRun } from '../services/messaging/notify/events.ts';
import { outcomesOfRun, type StoredOutcome } from '../store/tables/channel-outcomes-table.ts';
import {
  endTestRun,
  insertTestRun,
  latestTestRun,
  type ChannelTestRunRow as Run,
  testRunById,
} from '../store/tables/channel-test-runs-table.ts';
import { allChannels, type ChannelState, channelStatesOf } from '../store/tables/channels-table.ts';
import { isLeaseHeld } from '../store/tables/leases-table.ts';
import { testKeys } from './channel-key-tests.ts';
import { type ChannelTestResult, isTestable } from './channel-tests.ts';

type Calls = Service<typeof channelTestCalls, Context>;

const LEASE = 'channel-tests';
const POLL_MS = 500;
/** How many times a stop request checks whether the run has released its lease. */
const MAX_STOP_POLLS = 10;
const PARALLEL_CHANNELS = 4;
const NEVER_ABORTED = new AbortController().signal;

/** @throws AppError `already_running` while another test of all channels runs on any node. */
export const begin: Calls['begin'] = async (ctx, actor) => {
  await limitUpstreamQueries(ctx, actor);
  const turn = await takeTurn(ctx, LEASE);
  try {
    const prepared = await prepare(ctx, actor);
    const isStarted = ctx.background.run('channel tests', async (stopped) => {
      const results = await turn.run((ctx, lost) =>
        runTests(ctx, actor, prepared, AbortSignal.any([lost, stopped])),
      );
      const failed = results.filter((result) => !result.success).length;
      notifyTestRun(ctx, { tested: results.length, failed });
    });
    if (!isStarted) throw new AppError('shutting_down');
    return { ...prepared.run, done: 0, failed: 0 };
  } catch (error) {
    await turn.giveBack();
    throw error;
  }
};

/** Stops the run on whichever node it is. Tests in progress are aborted without a result. */
export const stop: Calls['stop'] = async (ctx) => {
  const latest = await latestTestRun(ctx.reads);
  const isStopped = latest !== undefined && (await endTestRun(ctx.db, latest.id, ctx.now()));
  for (let look = 0; isStopped && look < MAX_STOP_POLLS; look += 1) {
    if (!(await isLeaseHeld(ctx.reads, LEASE))) break;
    await pause(POLL_MS);
  }
  return isStopped;
};

/**
 * Tests all channels and waits for the end; used by timers. Ends early when `signal` fires.
 * @throws AppError `already_running`.
 */
export async function testAllChannels(
  ctx: Context,
  actor: Actor,
  signal: AbortSignal = NEVER_ABORTED,
): Promise<ChannelTestResult[]> {
  const turn = await takeTurn(ctx, LEASE);
  return turn.run(async (ctx, lost) => {
    const prepared = await prepare(ctx, actor);
    return runTests(ctx, actor, prepared, AbortSignal.any([lost, signal]));
  });
}

interface Prepared {
  readonly run: Run;
  readonly channelIds: readonly number[];
}

/** Skips channels whose type cannot be tested. */
async function prepare(ctx: Context, actor: Actor): Promise<Prepared> {
  const channelIds: number[] = [];
  for (const { id } of await allChannels(ctx.reads)) {
    const channel = await entryOrGone(ctx, id);
    if (channel !== undefined && isTestable(channel)) channelIds.push(id);
  }
  const begun = {
    started_by: actorName(actor),
    started_at_ms: ctx.now(),
    channels: channelIds.length,
  };
  const id = await insertTestRun(ctx.db, begun);
  return { run: { id, ...begun, ended_at_ms: 0 }, channelIds };
}

async function runTests(
  ctx: Context,
  actor: Actor,
  { run, channelIds }: Prepared,
  ended: AbortSignal,
): Promise<ChannelTestResult[]> {
  const stop = watchForStop(ctx, run.id);
  const signal = AbortSignal.any([ended, stop.signal]);
  try {
    const results = await inParallel(channelIds, { width: PARALLEL_CHANNELS, signal }, (id) =>
      testOne(ctx, actor, id, run.id, signal),
    );
    return results.filter((result) => result !== undefined);
  } finally {
    stop.endWatch();
    await endTestRun(ctx.db, run.id, ctx.now());
  }
}

/** The signal fires when the run's row is marked as ended, which any node can do. */
function watchForStop(ctx: Context, runId: number) {
  const stopped = new AbortController();
  const look = async () => {
    const run = await testRunById(ctx.reads, runId);
    if (run === undefined || run.ended_at_ms > 0) stopped.abort();
  };
  const timer = setInterval(
    () =>
      void look().catch((error: Error) =>
        ctx.log.warn({ err: error }, 'the stop request of the channel tests could not be read'),
      ),
    POLL_MS,
  );
  timer.unref();
  return { signal: stopped.signal, endWatch: () => clearInterval(timer) };
}

/** An untestable channel must not stop the tests of the others. */
async function testOne(
  ctx: Context,
  actor: Actor,
  id: number,
  runId: number,
  signal: AbortSignal,
): Promise<ChannelTestResult | undefined> {
  try {
    const channel = await entryOrGone(ctx, id);
    return channel && (await testKeys(ctx, actor, channel, { runId, signal }));
  } catch (error) {
    if (!signal.aborted)
      ctx.log.error({ err: error, channelId: id }, 'a channel could not be tested');
    return undefined;
  }
}

async function entryOrGone(ctx: Context, id: number) {
  try {
    return await requireChannelEntry(ctx, id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'channel_missing') return undefined;
    throw error;
  }
}

/** Keeps the connection open, because proxies close idle ones. */
const POLLS_PER_COMMENT = 20;

/**
 * Server-sent events: `result` per channel, then `end` with the run; uses the last run if none is
 * active.
 */
export const stream: Calls['stream'] = async (ctx, _actor, _input, visit) =>
  streamEvents(ctx, eventAudience(ctx, visit.language));

async function* streamEvents(ctx: Context, reader: EventAudience): AsyncGenerator<string> {
  const latest = await latestTestRun(ctx.reads);
  if (latest === undefined) {
    yield event('end', null);
    return;
  }
  const sent = new Map<number, StoredOutcome>();
  for (let look = 1; ; look += 1) {
    // Read before the results, so that no result before the end is missed.
    const run = await runState(ctx, latest.id);
    const fresh = (await outcomesOfRun(ctx.reads, latest.id)).filter((row) => !sent.has(row.id));
    const channels = await channelStatesOf(
      ctx.reads,
      fresh.map((row) => row.channel_id),
    );
    for (const row of fresh) {
      sent.set(row.id, row);
      const channel = channels.get(row.channel_id);
      const message = storedText(row.message, reader);
      yield event('result', { ...resultOf(row, channel, latest), message });
    }
    if (run === undefined || run.isOver) {
      yield event('end', summary(run?.run ?? latest, [...sent.values()]));
      return;
    }
    if (look % POLLS_PER_COMMENT === 0) yield ': still testing\n\n';
    await pause(POLL_MS, undefined, { ref: false });
  }
}

/** The run, and whether it is over: ended, or abandoned by a killed process. */
async function runState(ctx: Context, id: number) {
  const isHeld = await isLeaseHeld(ctx.reads, LEASE);
  const run = await testRunById(ctx.reads, id);
  return run && { run, isOver: run.ended_at_ms > 0 || !isHeld };
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function resultOf(row: StoredOutcome, channel: ChannelState | undefined, run: Run) {
  return {
    channel_id: row.channel_id,
    channel_name: channel?.name ?? '',
    disabled: channel !== undefined && isDisabledSince(run, channel),
    model: row.model,
    success: row.ok,
    status_code: row.status,
    time: row.latency_ms / 1000,
    time_ms: row.latency_ms,
  };
}

/** Whether the gateway disabled the channel automatically since the run started. */
function isDisabledSince(run: Run, { status, other_info }: ChannelState): boolean {
  const { status_time: at } = parsedObject(other_info);
  const begunAtSec = Math.floor(run.started_at_ms / 1000);
  return status === CHANNEL_STATUS.auto_disabled && typeof at === 'number' && at >= begunAtSec;
}

function summary(run: Run, results: readonly StoredOutcome[]): z.input<typeof TestRun> {
  return {
    ...run,
    done: results.length,
    failed: results.filter((row) => !row.ok).length,
  };
}
