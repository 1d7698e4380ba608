/**
 * Tracks live processes and cleans up after dead ones. Every serving process writes a heartbeat;
 * holds of dead processes are released at start and then periodically by any live process. Uses the
 * database's clock throughout, as a node's clock may be wrong.
 */
import type { Context } from '../../context.ts';
import { nowSec } from '../../context.ts';
import { clockSkewMs, nowSecSql } from '../../store/connection/clock.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { releaseHoldsOf } from '../../store/ledger/holds.ts';
import { insertOnce } from '../../store/sql/inserts.ts';
import type { SettlementFault } from '../../store/sql/sql-dialect.ts';
import { BACKGROUND_NODE } from '../../store/tables/background-answers-table.ts';
import { type NodeRow, type NodeState, nodeRows } from '../../store/tables/nodes-table.ts';
import { isNodeRunning, processTable } from './process-table.ts';

const HEARTBEAT_MS = 5_000;
/** Retry interval while the database rejects writes. */
const RETRY_MS = 1_000;
/** Without a heartbeat for this long a process counts as dead. */
const DEAD_AFTER_SEC = 30;
const CHUNK = 500;
/** A process may run several servers: its own nodes live, even if another node once had its pid. */
const ownNodes = new Set<string>();

/** State that a serving node reports with its heartbeats, and its reaction to a drain request. */
export interface Duties {
  /** Calls in flight. */
  calls(): number;
  /** Called once. Resolves when no new calls are accepted. */
  onDrain(): Promise<void>;
}

export interface NodeWatch {
  /** Marks this process as serving calls. */
  attend(duties: Duties): void;
  /** Writes one heartbeat and runs the related cleanup. */
  beat(): Promise<void>;
  /** Writes a heartbeat as a test, unless a write succeeded within the last second. */
  canWrite(): Promise<SettlementFault | undefined>;
  stop(): Promise<void>;
}

/**
 * Registers this process, cleans up after dead ones and keeps doing both. `primaryPid` is the
 * process that keeps its counters, 0 for a standalone process.
 */
export async function joinNodes(ctx: Context, primaryPid = 0): Promise<NodeWatch> {
  const watchClock = clockWatch(ctx);
  const turn: Turn = { duties: undefined, isDraining: false, takesCalls: true };
  ownNodes.add(ctx.node);
  const { writes } = ctx.ledger;
  let skewMs = 0;
  const live = async (): Promise<void> => {
    const calls = turn.duties?.calls() ?? 0;
    const isDrainRequested = await showLife(ctx, {
      primary_pid: primaryPid,
      skew_ms: skewMs,
      calls,
      ...(turn.isDraining && { state: calls === 0 && !turn.takesCalls ? 'drained' : 'draining' }),
    });
    if (isDrainRequested) startDraining(ctx, turn);
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
      .catch((error: Error) => ctx.log.warn({ err: error }, 'the heartbeat could not be written'));
  }, HEARTBEAT_MS);
  timer.unref();
  const retry = setInterval(() => {
    // The fault is logged once; the heartbeat reports all other errors.
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
        // Other nodes detect by themselves that this process has ended.
        ctx.log.warn({ err: error }, 'the end of this process could not be recorded');
      }
    },
  };
}

/** A clock deviation from the database above this is logged. */
const CLOCK_TOLERANCE_MS = 5_000;

/**
 * Measures the clock skew and warns once when it is too large. Nothing between the nodes depends on
 * it, but log times do, and so do comparisons with times that others wrote: expiry of tokens and
 * codes.
 */
function clockWatch(ctx: Context): () => Promise<number> {
  let isWarned = false;
  return async () => {
    const skewMs = await clockSkewMs(ctx.db, ctx.now);
    const isWrong = Math.abs(skewMs) > CLOCK_TOLERANCE_MS;
    if (isWrong && !isWarned)
      ctx.log.warn({ skewMs }, "the clock of this machine differs from the database's");
    isWarned = isWrong;
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
  /** Set while draining. */
  readonly state?: NodeState;
}

/**
 * After a long stall other nodes may have deleted this process's row: then it registers again.
 * Returns whether a drain was requested.
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

/** Releases holds that are expired or whose process is dead. Returns how many. */
export async function releaseOrphanedHolds(ctx: Context): Promise<number> {
  await forgetDeadNodes(ctx);
  let released = 0;
  for (;;) {
    const some = await orphanedHolds(ctx);
    if (some.length === 0) break;
    released += await inTransaction(ctx, (ctx) => releaseHoldsOf(ctx.db, some));
  }
  if (released > 0) ctx.log.warn({ released }, 'holds of an ended process were released');
  return released;
}

async function orphanedHolds(ctx: Context): Promise<string[]> {
  const requestIds: unknown[] = await ctx
    .db('holds')
    .where((orphaned) =>
      orphaned
        .whereNotIn('node', ctx.db('nodes').select('id'))
        .whereNot({ node: BACKGROUND_NODE })
        .orWhereRaw(`expires_at < ${nowSecSql(ctx.db)}`),
    )
    .limit(CHUNK)
    .pluck('request_id');
  return requestIds.map(String);
}

/** A call that is acquiring its hold is younger than this, by the clock that dated the hold. */
const FORGOTTEN_AFTER_SEC = 60;

/**
 * Releases this process's own holds that it will not settle: an abandoned reservation can still
 * appear when the network delivers its commit late. Returns how many.
 */
async function releaseForgottenHolds(ctx: Context): Promise<number> {
  const requestIds: unknown[] = await ctx
    .db('holds')
    .where({ node: ctx.node })
    .where('created_at', '<', nowSec(ctx) - FORGOTTEN_AFTER_SEC)
    .pluck('request_id');
  const forgotten = ctx.ledger.abandonedHolds(requestIds.map(String));
  if (forgotten.length === 0) return 0;
  const released = await inTransaction(ctx, (ctx) => releaseHoldsOf(ctx.db, forgotten));
  ctx.log.warn({ released }, 'holds that were committed after their call gave up were released');
  return released;
}

export interface LivingNode {
  readonly version: string;
  /** The machine's name and the process, for display. */
  readonly name: string;
  /** Milliseconds by which its clock is ahead of the database's. */
  readonly skewMs: number;
  /** The same for workers of one primary, which share counters without Redis. */
  readonly family: string;
}

/** Serving processes with a recent heartbeat, including this one. */
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

/** Only the host name; the rest makes it unique for the gateway (`processTable`). */
function hostOf(host: unknown): string {
  return String(host).split(' ', 1)[0] ?? '';
}

async function forgetDeadNodes(ctx: Context): Promise<void> {
  for (const node of await nodeRows(ctx.db)) {
    const { id, seen_at } = node;
    // A node that has sent a heartbeat meanwhile is kept.
    if (id !== ctx.node && isDead(node)) await ctx.db('nodes').where({ id, seen_at }).delete();
  }
}

/** On this machine the process table is conclusive; elsewhere only long enough silence is. */
function isDead(node: NodeRow): boolean {
  if (node.silent_sec > DEAD_AFTER_SEC) return true;
  if (node.host !== processTable()) return false;
  return node.pid === process.pid ? !ownNodes.has(node.id) : !isNodeRunning(node.pid);
}
