/**
 * Moves old log entries into files. A file is complete on disk before the first of its entries is
 * deleted, and only entries in a file are deleted: after a crash at any point, archiving resumes
 * from the last manifest. Only one archiving runs at a time.
 */
import type { Service } from '../../api/call.ts';
import type { logCalls } from '../../api/logs/log.ts';
import { type Context, nowSec } from '../../context.ts';
import { dayOf } from '../../domain/logs/months.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import {
  type ArchiveManifest,
  archivedEntries,
  manifestsIn,
  markDeleted,
  wholeDay,
  writeArchive,
} from '../../store/logs/log-archive.ts';
import { detachedPartitions } from '../../store/logs/log-partitions.ts';
import { deleteLogs, logsFrom, oldestLogSec, type StoredLog } from '../../store/logs/log-rows.ts';
import { takeTurn } from '../cluster/exclusive-work.ts';
import { recordAction } from './audit.ts';
import {
  deleteEntries,
  detachMonths,
  ignoreAggregatesBefore,
  pauseAfterBatch,
  requireClearTime,
} from './log-removal.ts';
import { inLogTransaction } from './log-transaction.ts';

const ARCHIVE_LEASE = 'log_archive';
const PART_MS = 5_000;
const BATCH_ENTRIES = 500;
const NEVER_ABORTED = new AbortController().signal;

export interface ArchiveResult {
  /** Entries that are now in files and no longer in the database. */
  readonly entries: number;
  readonly isDone: boolean;
}

/**
 * Archives the whole days (UTC) before a time and deletes their entries.
 * @throws AppError `permission_denied`, `already_running`.
 */
export const archivePart: Service<typeof logCalls, Context>['archivePart'] = async (
  ctx,
  actor,
  input,
) => {
  const before = dayOf(requireClearTime(ctx, actor, input.before));
  const { entries, isDone } = await archiveBefore(ctx, before, { forMs: PART_MS });
  if (entries > 0)
    await inTransaction(ctx, (ctx) =>
      recordAction(ctx, actor, {
        action: 'log_archive',
        event: { event: 'logs_archived', params: { count: entries, before } },
        facts: { before, archived: entries },
      }),
    );
  return { archived: entries, is_done: isDone };
};

interface Limits {
  readonly signal?: AbortSignal | undefined;
  /** Stops soon after this time; a later call continues. */
  readonly forMs?: number;
}

/** @throws AppError `already_running` when another process is archiving. */
export async function archiveBefore(
  ctx: Context,
  requestedBeforeSec: number,
  { signal = NEVER_ABORTED, forMs = Number.POSITIVE_INFINITY }: Limits = {},
): Promise<ArchiveResult> {
  const endsAtMs = performance.now() + forMs;
  const turn = await takeTurn(ctx, ARCHIVE_LEASE, signal);
  return turn.run(async (ctx, signal) => {
    const isOver = () => signal.aborted || performance.now() > endsAtMs;
    const beforeSec = Math.min(requestedBeforeSec, dayOf(nowSec(ctx)));
    await ignoreAggregatesBefore(ctx, beforeSec);
    let entries = await finishInterrupted(ctx, isOver);
    await detachMonths(ctx, beforeSec, isOver);
    for (const table of [...(await detachedPartitions(ctx.logDatabase.db)), 'logs']) {
      const part = await archiveTable(ctx, table, beforeSec, isOver, signal);
      entries += part.entries;
      if (!part.isDone) return { entries, isDone: false };
    }
    return { entries, isDone: true };
  });
}

async function archiveTable(
  ctx: Context,
  table: string,
  beforeSec: number,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<ArchiveResult> {
  const { db } = ctx.logDatabase;
  let entries = 0;
  for (;;) {
    const oldestSec = await oldestLogSec(db, table);
    if (oldestSec === undefined) break;
    if (oldestSec >= beforeSec) return { entries, isDone: true };
    if (isOver()) return { entries, isDone: false };
    const day = wholeDay(oldestSec);
    const manifest = await writeArchive(
      ctx.config.logArchive,
      day.sinceSec,
      entriesOfDay(ctx, table, day, signal),
    );
    if (manifest !== undefined) entries += await deleteArchived(ctx, manifest, [table], isOver);
  }
  // The table is empty, and nothing can be inserted into a table detached from the log.
  if (table !== 'logs') await db.schema.dropTableIfExists(table);
  return { entries, isDone: true };
}

async function* entriesOfDay(
  ctx: Context,
  table: string,
  day: { readonly sinceSec: number; readonly untilSec: number },
  signal: AbortSignal,
): AsyncGenerator<StoredLog[]> {
  let cursor = { createdAtSec: -1, id: 0 };
  for (;;) {
    signal.throwIfAborted();
    const rows = await logsFrom(ctx.logDatabase.reads, day, cursor, BATCH_ENTRIES, table);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    cursor = { createdAtSec: last.created_at, id: last.id };
  }
}

/** Finishes an interrupted archiving: entries that are in files and still in the database. */
async function finishInterrupted(ctx: Context, isOver: () => boolean): Promise<number> {
  let entries = 0;
  for (const manifest of await manifestsIn(ctx.config.logArchive)) {
    if (manifest.is_deleted || isOver()) continue;
    const tables = [...(await detachedPartitions(ctx.logDatabase.db)), 'logs'];
    entries += await deleteArchived(ctx, manifest, tables, isOver);
  }
  return entries;
}

/** Deletes the file's entries from the database by id, and records that they are deleted. */
async function deleteArchived(
  ctx: Context,
  manifest: ArchiveManifest,
  tables: readonly string[],
  isOver: () => boolean,
): Promise<number> {
  const folder = ctx.config.logArchive;
  const span = { sinceSec: manifest.first.created_at, untilSec: manifest.last.created_at };
  let entries = 0;
  for await (const part of archivedEntries(folder, manifest)) {
    if (isOver()) return entries;
    const ids = part.map((entry) => entry.id);
    const startedMs = performance.now();
    for (const table of tables)
      entries += await inLogTransaction(ctx, (ctx) =>
        table === 'logs' ? deleteEntries(ctx, ids, span) : deleteLogs(ctx.db, ids, span, table),
      );
    if (tables.includes('logs')) await pauseAfterBatch(startedMs);
  }
  await markDeleted(folder, manifest);
  return entries;
}
