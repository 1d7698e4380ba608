/** Reads archived log entries, streamed from files of any size. */
import { type Service, terminalVisit } from '../../api/call.ts';
import type { logCalls } from '../../api/logs/log.ts';
import type { Context } from '../../context.ts';
import type { Language } from '../../domain/languages.ts';
import {
  type ArchiveManifest,
  archivedEntries,
  hasValidChecksum,
  manifestsIn,
  overlaps,
} from '../../store/logs/log-archive.ts';
import { type LogFilter, matchesFilter } from '../../store/logs/log-filter.ts';
import type { StoredLog } from '../../store/logs/log-rows.ts';
import { visibleLogs } from './log-filters.ts';
import { logDetailView, logPreview, logViews } from './log-view.ts';

type Calls = Service<typeof logCalls, Context>;

const MAX_LISTED = 1_000;

/** @throws AppError `archive_unreadable` */
export const archives: Calls['archives'] = async (ctx, _actor, { verify = false }) => {
  const folder = ctx.config.logArchive;
  const found = await manifestsIn(folder);
  const entries: (ReturnType<typeof archiveView> & { is_sound?: boolean })[] = [];
  for (const manifest of found)
    entries.push({
      ...archiveView(manifest),
      ...(verify && { is_sound: await hasValidChecksum(folder, manifest) }),
    });
  return entries;
};

function archiveView({
  file,
  rows,
  bytes,
  sha256,
  first,
  last,
  archived_at,
  is_deleted,
}: ArchiveManifest) {
  const span = { first_at: first.created_at, last_at: last.created_at };
  const ids = { first_id: first.id, last_id: last.id };
  return { file, rows, bytes, ...span, ...ids, sha256, archived_at, is_complete: is_deleted };
}

/** @throws AppError `archive_unreadable` */
export const archived: Calls['archived'] = async (
  ctx,
  actor,
  { limit = 20, ...input },
  visit = terminalVisit(),
) => {
  const filter = await visibleLogs(ctx, actor, input);
  const max = Math.min(Math.max(limit, 1), MAX_LISTED);
  const folder = ctx.config.logArchive;
  let rows: StoredLog[] = [];
  for (const manifest of (await manifestsIn(folder)).reverse()) {
    if (rows.length >= max) break;
    if (!overlaps(manifest, filter)) continue;
    let newest: StoredLog[] = [];
    for await (const part of archivedEntries(folder, manifest))
      newest = [...newest, ...part.filter((entry) => matchesFilter(filter, entry))].slice(
        rows.length - max,
      );
    rows = [...rows, ...newest.reverse()];
  }
  return (await logViews(ctx, actor, rows, input.language ?? visit.language)).map(logPreview);
};

/** @throws AppError `archive_unreadable` */
export const exportArchived: Calls['exportArchived'] = async (
  ctx,
  actor,
  input,
  visit = terminalVisit(),
) =>
  archivedTexts(ctx, actor, await visibleLogs(ctx, actor, input), input.language ?? visit.language);

async function* archivedTexts(
  ctx: Context,
  actor: Parameters<Calls['exportArchived']>[1],
  filter: LogFilter,
  language: Language,
): AsyncGenerator<string> {
  const folder = ctx.config.logArchive;
  for (const manifest of await manifestsIn(folder)) {
    if (!overlaps(manifest, filter)) continue;
    for await (const part of archivedEntries(folder, manifest)) {
      const wanted = part.filter((entry) => matchesFilter(filter, entry));
      if (wanted.length === 0) continue;
      const views = await logViews(ctx, actor, wanted, language);
      yield views.map((view) => `${JSON.stringify(logDetailView(view))}\n`).join('');
    }
  }
}
