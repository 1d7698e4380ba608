/**
 * Builds daily aggregates from counted entries, newest day first. The state of each day shows
 * whether it is complete, outdated or interrupted; so old entries need no migration, and this may
 * run anywhere at any time.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Context, nowSec } from '../../context.ts';
import { COMBINATION_KINDS, DayCombinations } from '../../domain/logs/log-combinations.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import {
  claimDay,
  combineEntries,
  countedPerDay,
  dayStates,
  deleteCombinations,
  insertCombinations,
  NOT_BUILT,
  ownsDay,
  usersWithCombinations,
  writeDay,
} from '../../store/logs/log-days.ts';
import { lockLogProgress, logProgress } from '../../store/logs/log-hours.ts';
import { chunksOf } from '../../store/sql/sql-dialect.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { pauseAfterBatch } from './log-removal.ts';
import { inLogTransaction } from './log-transaction.ts';

/** Entries of a day may be written and counted for a while after it; later ones make it stale. */
const WAIT_SEC = 1_800;
/** Most statements that read a day: one for each quarter of an hour, which divides it evenly. */
const MAX_READS = 96;
/** A quiet day needs fewer: so many entries a statement on average. */
const READ_ENTRIES = 50;
/** Limits of one transaction: calls wait to post charges while it is written. */
const BATCH_CELLS = 500;
const BATCH_USERS = 20;
/** Cells added before yielding to the event loop. */
const CELLS_PER_YIELD = 500;

interface Limits {
  readonly signal?: AbortSignal | undefined;
}

/** Returns the number of days built. */
export async function summarizeDays(ctx: Context, { signal }: Limits = {}): Promise<number> {
  let made = 0;
  for (const [day, entries] of await staleDays(ctx)) {
    if (signal?.aborted) return made;
    if (await summarizeDay(ctx, day, entries, signal)) made += 1;
  }
  return made;
}

/**
 * Past days whose aggregates are outdated, or hold combinations that are unused since entries were
 * deleted; with their counted entries, newest first.
 */
async function staleDays(ctx: Context): Promise<(readonly [day: number, entries: number])[]> {
  const { reads } = ctx.logDatabase;
  const { clearedBeforeSec } = await logProgress(reads);
  const counted = await countedPerDay(reads, { fromSec: 0, toSec: undefined });
  const states = await dayStates(reads);
  const isStale = ([day, entries]: readonly [number, number]) => {
    const { dayEntries, combinedEntries } = states.get(day) ?? NOT_BUILT;
    return dayEntries !== entries || (combinedEntries >= 0 && day < clearedBeforeSec);
  };
  return [...counted]
    .filter(([day]) => day + DAY_SEC + WAIT_SEC <= nowSec(ctx))
    .filter(isStale)
    .sort(([a], [b]) => b - a);
}

/**
 * False when entries of the day were counted in between, or another process builds it: it is
 * retried in a later run.
 */
async function summarizeDay(
  ctx: Context,
  day: number,
  dayEntries: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const combinations = await combinationsOf(ctx, day, dayEntries, signal);
  if (signal?.aborted) return false;
  // If entries were deleted, only the hourly aggregates cover the day.
  const isWhole = combinations?.lines === dayEntries;
  const owner = randomUUID();
  await inLogTransaction(ctx, ({ db }) => claimDay(db, day, owner));
  if (!(await clearDay(ctx, day, owner, signal))) return false;
  if (combinations !== undefined && isWhole)
    for (const [kind, cells] of combinations.parts(BATCH_CELLS)) {
      const write = ({ db }: TxContext) => insertCombinations(db, day, kind, cells);
      if (signal?.aborted || !(await writeAsOwner(ctx, day, owner, write))) return false;
    }
  return inLogTransaction(ctx, async ({ db }) => {
    await lockLogProgress(db);
    const counted = await countedPerDay(db, { fromSec: day, toSec: day + DAY_SEC });
    if (counted.get(day) !== dayEntries || !(await ownsDay(db, day, owner))) return false;
    await writeDay(db, day, { dayEntries, combinedEntries: isWhole ? dayEntries : -1 });
    return true;
  });
}

/**
 * Reads in small steps to keep statements and results short. Undefined if entries were deleted or
 * the run was aborted.
 */
async function combinationsOf(
  ctx: Context,
  day: number,
  dayEntries: number,
  signal: AbortSignal | undefined,
): Promise<DayCombinations | undefined> {
  const { reads } = ctx.logDatabase;
  const { clearedBeforeSec, countedId } = await logProgress(reads);
  if (day < clearedBeforeSec) return undefined;
  const combinations = new DayCombinations();
  const endSec = day + DAY_SEC;
  const readSec = Math.ceil(DAY_SEC / Math.min(MAX_READS, Math.ceil(dayEntries / READ_ENTRIES)));
  for (let sinceSec = day; sinceSec < endSec; sinceSec += readSec) {
    if (signal?.aborted) return undefined;
    const untilSec = Math.min(sinceSec + readSec, endSec) - 1;
    const span = { sinceSec, untilSec, upToId: countedId };
    let added = 0;
    for (const cell of await combineEntries(reads, span)) {
      combinations.add(cell);
      added += 1;
      if (added % CELLS_PER_YIELD === 0) await setImmediate();
    }
  }
  return combinations;
}

/** Pauses as long as the write took, in favor of calls. False when another process owns the day. */
async function writeAsOwner(
  ctx: Context,
  day: number,
  owner: string,
  write: (ctx: TxContext) => Promise<void>,
): Promise<boolean> {
  const startedMs = performance.now();
  const isOwner = await inLogTransaction(ctx, async (ctx) => {
    if (!(await ownsDay(ctx.db, day, owner))) return false;
    await write(ctx);
    return true;
  });
  await pauseAfterBatch(startedMs);
  return isOwner;
}

/** Deletes in parts what an earlier run wrote. */
async function clearDay(
  ctx: Context,
  day: number,
  owner: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const kind of COMBINATION_KINDS)
    for (const users of chunksOf(
      await usersWithCombinations(ctx.logDatabase.reads, day, kind),
      BATCH_USERS,
    )) {
      const write = ({ db }: TxContext) => deleteCombinations(db, day, kind, users);
      if (signal?.aborted || !(await writeAsOwner(ctx, day, owner, write))) return false;
    }
  return true;
}
