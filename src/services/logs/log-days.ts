/**
 * Makes the figures per whole day of what is counted, day by day, the newest first. What is there
 * already, and what was begun and cut off, is found by the state of each day; so it needs no migration
 * of old lines, and may run anywhere at any time.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Context, nowSec } from '../../context.ts';
import { COMBINATION_KINDS, DayCombinations } from '../../domain/logs/log-combinations.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import {
  claimDay,
  closeDay,
  combinedLines,
  countedPerDay,
  dayStates,
  deleteCombinations,
  insertCombinations,
  NOT_MADE,
  ownsDay,
  usersCombined,
} from '../../store/logs/log-days.ts';
import { lockProgress, logProgress } from '../../store/logs/log-hours.ts';
import { partsOf } from '../../store/sql/sql-dialect.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { rest } from './log-removal.ts';
import { inLogTx } from './log-transaction.ts';

/** Lines of a day may still come, and be counted, for a while after it; later ones make it stale. */
const WAIT_SEC = 1_800;
/** A quarter of an hour divides the day. */
const READ_SEC = 900;
/** Of one transaction: calls wait with their charges while it is written. */
const CELLS = 500;
const USERS = 20;
/** What a process works through before others get their turn. */
const CELLS_ADDED = 500;

interface Limits {
  readonly signal?: AbortSignal | undefined;
}

/** Answers how many days were made. */
export async function summarizeDays(ctx: Context, { signal }: Limits = {}): Promise<number> {
  let made = 0;
  for (const [day, lines] of await staleDays(ctx)) {
    if (signal?.aborted) return made;
    if (await summarizeDay(ctx, day, lines, signal)) made += 1;
  }
  return made;
}

/**
 * Days that are over and whose figures do not hold, or hold more than anybody asks for since lines were
 * deleted; with their counted lines, the newest first.
 */
async function staleDays(ctx: Context): Promise<(readonly [day: number, lines: number])[]> {
  const { reads } = ctx.logDatabase;
  const { clearedBeforeSec } = await logProgress(reads);
  const counted = await countedPerDay(reads, { fromSec: 0, toSec: undefined });
  const states = await dayStates(reads);
  const isStale = ([day, lines]: readonly [number, number]) => {
    const { dayLines, combinedLines } = states.get(day) ?? NOT_MADE;
    return dayLines !== lines || (combinedLines >= 0 && day < clearedBeforeSec);
  };
  return [...counted]
    .filter(([day]) => day + DAY_SEC + WAIT_SEC <= nowSec(ctx))
    .filter(isStale)
    .sort(([a], [b]) => b - a);
}

/** False when lines of the day were counted in between, or somebody else makes it: its turn comes again. */
async function summarizeDay(
  ctx: Context,
  day: number,
  dayLines: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const combinations = await combinationsOf(ctx, day, signal);
  if (signal?.aborted) return false;
  // Where lines are gone the figures per hour alone tell of the day.
  const isWhole = combinations?.lines === dayLines;
  const owner = randomUUID();
  await inLogTx(ctx, ({ db }) => claimDay(db, day, owner));
  if (!(await emptyDay(ctx, day, owner, signal))) return false;
  if (combinations !== undefined && isWhole)
    for (const [kind, cells] of combinations.parts(CELLS)) {
      const write = ({ db }: TxContext) => insertCombinations(db, day, kind, cells);
      if (signal?.aborted || !(await asOwner(ctx, day, owner, write))) return false;
    }
  return inLogTx(ctx, async ({ db }) => {
    await lockProgress(db);
    const counted = await countedPerDay(db, { fromSec: day, toSec: day + DAY_SEC });
    if (counted.get(day) !== dayLines || !(await ownsDay(db, day, owner))) return false;
    await closeDay(db, day, { dayLines, combinedLines: isWhole ? dayLines : -1 });
    return true;
  });
}

/** Read a little at a time: no statement is long, and no answer. Undefined where lines were deleted, or it was cut off. */
async function combinationsOf(
  ctx: Context,
  day: number,
  signal: AbortSignal | undefined,
): Promise<DayCombinations | undefined> {
  const { reads } = ctx.logDatabase;
  const { clearedBeforeSec, countedId } = await logProgress(reads);
  if (day < clearedBeforeSec) return undefined;
  const combinations = new DayCombinations();
  for (let sinceSec = day; sinceSec < day + DAY_SEC; sinceSec += READ_SEC) {
    if (signal?.aborted) return undefined;
    const span = { sinceSec, untilSec: sinceSec + READ_SEC - 1, upToId: countedId };
    let added = 0;
    for (const cell of await combinedLines(reads, span)) {
      combinations.add(cell);
      added += 1;
      if (added % CELLS_ADDED === 0) await setImmediate();
    }
  }
  return combinations;
}

/** Half of the time belongs to the calls. False when the day is somebody else's by now. */
async function asOwner(
  ctx: Context,
  day: number,
  owner: string,
  write: (ctx: TxContext) => Promise<void>,
): Promise<boolean> {
  const startedMs = performance.now();
  const isMine = await inLogTx(ctx, async (ctx) => {
    if (!(await ownsDay(ctx.db, day, owner))) return false;
    await write(ctx);
    return true;
  });
  await rest(startedMs);
  return isMine;
}

/** What an earlier making has left, in parts. */
async function emptyDay(
  ctx: Context,
  day: number,
  owner: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const kind of COMBINATION_KINDS)
    for (const users of partsOf(await usersCombined(ctx.logDatabase.reads, day, kind), USERS)) {
      const write = ({ db }: TxContext) => deleteCombinations(db, day, kind, users);
      if (signal?.aborted || !(await asOwner(ctx, day, owner, write))) return false;
    }
  return true;
}
