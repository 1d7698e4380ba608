/**
 * Which processes are alive, and what dead ones left behind. Every serving process writes a
 * heartbeat; holds of a process that is gone are released, here at start and then by whoever lives.
 */
import { hostname } from 'node:os';
import type { Context } from '../context.ts';
import { nowSec } from '../context.ts';
import { releaseHoldsOf } from '../store/ledger.ts';
import { inTx } from '../store/tx.ts';

const HEARTBEAT_MS = 5_000;
/** Without a heartbeat for this long a process counts as gone. */
const DEAD_AFTER_SEC = 30;
const CHUNK = 500;

export interface NodeWatch {
  stop(): Promise<void>;
}

/** Registers this process, cleans up after dead ones and keeps doing both. */
export async function joinNodes(ctx: Context): Promise<NodeWatch> {
  await register(ctx);
  await releaseOrphanedHolds(ctx);
  let busy: Promise<void> = Promise.resolve();
  const beat = async (): Promise<void> => {
    await ctx
      .db('nodes')
      .where({ id: ctx.node })
      .update({ seen_at: nowSec(ctx) });
    await releaseOrphanedHolds(ctx);
  };
  const timer = setInterval(() => {
    busy = busy
      .then(beat)
      .catch((error: Error) => ctx.log.warn({ err: error }, 'heartbeat failed'));
  }, HEARTBEAT_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await busy;
      await ctx.db('nodes').where({ id: ctx.node }).delete();
    },
  };
}

async function register(ctx: Context): Promise<void> {
  const at = nowSec(ctx);
  await ctx.db('nodes').insert({
    id: ctx.node,
    host: hostname(),
    pid: process.pid,
    version: ctx.version,
    started_at: at,
    seen_at: at,
  });
}

/** Releases holds whose process is gone or whose time has passed. Returns how many. */
export async function releaseOrphanedHolds(ctx: Context): Promise<number> {
  await forgetDeadNodes(ctx);
  const rows = await ctx
    .db('holds')
    .where((where) =>
      where
        .whereNotIn('node', ctx.db('nodes').select('id'))
        .orWhere('expires_at', '<', nowSec(ctx)),
    )
    .limit(CHUNK * 20)
    .pluck('request_id');
  let released = 0;
  for (let at = 0; at < rows.length; at += CHUNK) {
    const some = rows.slice(at, at + CHUNK).map(String);
    released += await inTx(ctx, (ctx) => releaseHoldsOf(ctx.db, some));
  }
  if (released > 0) ctx.log.warn({ released }, 'holds of a process that is gone were released');
  return released;
}

async function forgetDeadNodes(ctx: Context): Promise<void> {
  const rows = await ctx
    .db('nodes')
    .whereNot({ id: ctx.node })
    .select(['id', 'host', 'pid', 'seen_at']);
  const dead = rows.filter((row) =>
    isDead(ctx, { host: String(row.host), pid: Number(row.pid), seenAtSec: Number(row.seen_at) }),
  );
  if (dead.length > 0)
    await ctx
      .db('nodes')
      .whereIn(
        'id',
        dead.map((row) => row.id),
      )
      .delete();
}

/** On this host the process table knows at once; elsewhere silence has to be long enough. */
function isDead(ctx: Context, node: { host: string; pid: number; seenAtSec: number }): boolean {
  if (node.seenAtSec + DEAD_AFTER_SEC < nowSec(ctx)) return true;
  if (node.host !== hostname()) return false;
  // A container restarts with the same host name and pid: that earlier life is over.
  return node.pid === process.pid || !isRunning(node.pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
