/**
 * Which processes are alive, and what dead ones left behind. Every serving process writes a
 * heartbeat; holds of a process that is gone are released, here at start and then by whoever lives.
 * All of it by the database's clock: that of a node may be wrong.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Context } from '../../context.ts';
import { nowSec } from '../../context.ts';
import { clockSkewMs, nowSecSql } from '../../store/connection/clock.ts';
import { inTx } from '../../store/connection/transaction.ts';
import { releaseHoldsOf } from '../../store/ledger/holds.ts';
import { insertOnce } from '../../store/sql/inserts.ts';
import type { WriteFault } from '../../store/sql/sql-dialect.ts';
import { NO_NODE } from '../../store/tables/background-answers-table.ts';
import type { NodeState } from '../../store/tables/nodes-table.ts';

const HEARTBEAT_MS = 5_000;
/** While the database takes no writes. */
const RETRY_MS = 1_000;
/** Without a heartbeat for this long a process counts as gone. */
const DEAD_AFTER_SEC = 30;
const CHUNK = 500;
/** A process may run several servers: these of its nodes live, whatever else once had its pid. */
const ownNodes = new Set<string>();

/** What a node that takes calls tells with its heartbeats, and what it does when it is told to drain. */
export interface Duties {
  /** Calls under way. */
  calls(): number;
  /** Called once. Resolves when no new calls are taken any more. */
  onDrain(): Promise<void>;
}

export interface NodeWatch {
  /** From now on this process takes calls. */
  attend(duties: Duties): void;
  /** One heartbeat now, and the cleaning that goes with it. */
  beat(): Promise<void>;
  /** A real write, a heartbeat, unless one came through within the last second. */
  canWrite(): Promise<WriteFault | undefined>;
  stop(): Promise<void>;
}

/**
 * Registers this process, cleans up after dead ones and keeps doing both. `primaryPid` is the process
 * that keeps its counters, 0 when it stands alone.
 */
export async function joinNodes(ctx: Context, primaryPid = 0): Promise<NodeWatch> {
  const watchClock = clockWatch(ctx);
  const turn: Turn = { duties: undefined, isDraining: false, takesCalls: true };
  ownNodes.add(ctx.node);
  const { writes } = ctx.books;
  let skewMs = 0;
  const live = async (): Promise<void> => {
    const calls = turn.duties?.calls() ?? 0;
    const isTold = await showLife(ctx, {
      primary_pid: primaryPid,
      skew_ms: skewMs,
      calls,
      ...(turn.isDraining && { state: calls === 0 && !turn.takesCalls ? 'drained' : 'draining' }),
    });
    if (isTold) startDraining(ctx, turn);
  };
  const canWrite = () => writes.run(live);
  const beat = async (): Promise<void> => {
    skewMs = await watchClock();
    try {
      await live();
    } catch (error) {
      writes.failed(error);
      throw error;
    }
    await releaseOrphanedHolds(ctx);
    await releaseForgottenHolds(ctx);
  };
  await beat();
  let busy: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    busy = busy
      .then(beat)
      .catch((error: Error) => ctx.log.warn({ err: error }, 'heartbeat failed'));
  }, HEARTBEAT_MS);
  timer.unref();
  const retry = setInterval(() => {
    // The log says it once, and the heartbeat tells of every other error.
    if (writes.fault !== undefined) canWrite().catch(() => undefined);
  }, RETRY_MS);
  retry.unref();
  return {
    beat,
    canWrite,
    attend(duties) {
      turn.duties = duties;
    },
    async stop() {
      clearInterval(timer);
      clearInterval(retry);
      await busy;
      ownNodes.delete(ctx.node);
      try {
        await ctx.db('nodes').where({ id: ctx.node }).delete();
      } catch (error) {
        // The others find out by themselves that this process is gone.
        ctx.log.warn({ err: error }, 'the end of this process could not be written');
      }
    },
  };
}

/** A clock further from the database's than this is told. */
const CLOCK_TOLERANCE_MS = 5_000;

/**
 * Measures the clock and warns once when it is wrong. Nothing between the nodes depends on it, but
 * times of the log do, and what is compared with times that others wrote: expiry of tokens and codes.
 */
function clockWatch(ctx: Context): () => Promise<number> {
  let isTold = false;
  return async () => {
    const skewMs = await clockSkewMs(ctx.db, ctx.now);
    const isWrong = Math.abs(skewMs) > CLOCK_TOLERANCE_MS;
    if (isWrong && !isTold)
      ctx.log.warn({ skewMs }, "the clock of this machine differs from the database's");
    isTold = isWrong;
    return skewMs;
  };
}

interface Turn {
  duties: Duties | undefined;
  isDraining: boolean;
  takesCalls: boolean;
}

function startDraining(ctx: Context, turn: Turn): void {
  if (turn.isDraining || turn.duties === undefined) return;
  turn.isDraining = true;
  turn.duties.onDrain().then(
    () => {
      turn.takesCalls = false;
    },
    (error: Error) => ctx.log.error({ err: error }, 'draining failed'),
  );
}

interface Life {
  readonly primary_pid: number;
  readonly skew_ms: number;
  readonly calls: number;
  /** Once it drains. */
  readonly state?: NodeState;
}

/**
 * After a long stall others may have struck this process off: then it signs up again. Answers whether
 * somebody has told it to drain.
 */
async function showLife(ctx: Context, { primary_pid, ...life }: Life): Promise<boolean> {
  const now = ctx.db.raw(nowSecSql(ctx.db));
  const known = await ctx
    .db('nodes')
    .where({ id: ctx.node })
    .update({ seen_at: now, ...life });
  if (known > 0) {
    const row = await ctx.db('nodes').where({ id: ctx.node }).first('state');
    return row?.state === 'told';
  }
  const row = {
    id: ctx.node,
    host: processTable(),
    pid: process.pid,
    version: ctx.version,
    primary_pid,
    started_at: now,
    seen_at: now,
    ...life,
  };
  await insertOnce(ctx.db, 'nodes', row, 'id');
  return false;
}

/** Releases holds whose process is gone or whose time has passed. Returns how many. */
export async function releaseOrphanedHolds(ctx: Context): Promise<number> {
  await forgetDeadNodes(ctx);
  let released = 0;
  for (;;) {
    const some = await orphanedHolds(ctx);
    if (some.length === 0) break;
    released += await inTx(ctx, (ctx) => releaseHoldsOf(ctx.db, some));
  }
  if (released > 0) ctx.log.warn({ released }, 'holds of a process that is gone were released');
  return released;
}

async function orphanedHolds(ctx: Context): Promise<string[]> {
  const requestIds: unknown[] = await ctx
    .db('holds')
    .where((orphaned) =>
      orphaned
        .whereNotIn('node', ctx.db('nodes').select('id'))
        .whereNot({ node: NO_NODE })
        .orWhereRaw(`expires_at < ${nowSecSql(ctx.db)}`),
    )
    .limit(CHUNK)
    .pluck('request_id');
  return requestIds.map(String);
}

/** A call that takes its hold right now has less than this behind it, by the clock that dated it. */
const FORGOTTEN_AFTER_SEC = 60;

/**
 * Releases this process's own holds whose end nobody owes: a reservation that was given up can still
 * come to be when the network delivers its commit late. Returns how many.
 */
async function releaseForgottenHolds(ctx: Context): Promise<number> {
  const requestIds: unknown[] = await ctx
    .db('holds')
    .where({ node: ctx.node })
    .where('created_at', '<', nowSec(ctx) - FORGOTTEN_AFTER_SEC)
    .pluck('request_id');
  const forgotten = ctx.books.unowed(requestIds.map(String));
  if (forgotten.length === 0) return 0;
  const released = await inTx(ctx, (ctx) => releaseHoldsOf(ctx.db, forgotten));
  ctx.log.warn({ released }, 'holds that were given up and came to be all the same were released');
  return released;
}

export interface LivingNode {
  readonly version: string;
  /** The machine's name and the process, for people. */
  readonly name: string;
  /** By which its clock is ahead of the database's. */
  readonly skewMs: number;
  /** The same for workers of one primary, which count together without Redis. */
  readonly family: string;
}

/** Serving processes that showed life lately, this one's included. */
export async function livingNodes(ctx: Context): Promise<LivingNode[]> {
  const rows = await ctx
    .db('nodes')
    .whereRaw(`seen_at >= ${nowSecSql(ctx.db)} - ${DEAD_AFTER_SEC}`)
    .select(['id', 'host', 'pid', 'version', 'primary_pid', 'skew_ms']);
  return rows.map((row) => ({
    version: String(row.version),
    name: `${hostOf(row.host)} ${row.pid}`,
    skewMs: Number(row.skew_ms),
    family: Number(row.primary_pid) === 0 ? String(row.id) : `${row.host} ${row.primary_pid}`,
  }));
}

/** The host's name alone: what makes it unique is for machines (`processTable`). */
function hostOf(host: unknown): string {
  return String(host).split(' ', 1)[0] ?? '';
}

interface Node {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly seenAtSec: number;
  readonly silentSec: number;
}

async function forgetDeadNodes(ctx: Context): Promise<void> {
  for (const node of await otherNodes(ctx)) {
    if (!isDead(node)) continue;
    // One that showed life meanwhile stays.
    await ctx.db('nodes').where({ id: node.id, seen_at: node.seenAtSec }).delete();
  }
}

async function otherNodes(ctx: Context): Promise<Node[]> {
  const rows = await ctx
    .db('nodes')
    .whereNot({ id: ctx.node })
    .select(['id', 'host', 'pid', 'seen_at', ctx.db.raw(`${nowSecSql(ctx.db)} as now_sec`)]);
  return rows.map((row) => ({
    id: String(row.id),
    host: String(row.host),
    pid: Number(row.pid),
    seenAtSec: Number(row.seen_at),
    silentSec: Number(row.now_sec) - Number(row.seen_at),
  }));
}

/** Its own process table knows at once; elsewhere silence has to be long enough. */
function isDead(node: Node): boolean {
  if (node.silentSec > DEAD_AFTER_SEC) return true;
  if (node.host !== processTable()) return false;
  return node.pid === process.pid ? !ownNodes.has(node.id) : !isRunning(node.pid);
}

/**
 * What a pid is unique in. A host name alone is not enough: machines made from one image share it,
 * and so do containers on the host's network.
 */
export function processTable(): string {
  try {
    const kernel = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${kernel} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname(); // no Linux: a name is all there is
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
