/**
 * Archives of the log: one file of compressed JSON lines per day (UTC), with a manifest that
 * describes it. The manifest is written last and by renaming, so a file without one is left over
 * from an interrupted attempt. No log entry may be deleted before the manifest that covers it is on
 * disk.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { AppError } from '../../domain/errors/errors.ts';
import { DAY_SEC, dayOf, dayText } from '../../domain/logs/months.ts';
import { createFolder } from '../../folders.ts';
import { numberValue } from '../sql/read-rows.ts';
import { readEntry, type StoredLog } from './log-rows.ts';

const ARCHIVE_FORMAT = 1;

export interface LogPosition {
  readonly id: number;
  readonly created_at: number;
}

export interface ArchiveManifest {
  readonly gateway_log_archive: typeof ARCHIVE_FORMAT;
  /** Without its folder. */
  readonly file: string;
  readonly rows: number;
  /** Compressed size. */
  readonly bytes: number;
  /** Of the file on disk. */
  readonly sha256: string;
  /** Ordered by time and id. */
  readonly first: LogPosition;
  readonly last: LogPosition;
  /** Epoch seconds. */
  readonly archived_at: number;
  /** Whether the entries have been deleted from the database. */
  readonly is_deleted: boolean;
}

/** Writes log entries of one day, oldest first; returns the manifest, undefined if none. */
export async function writeArchive(
  folder: string,
  daySec: number,
  entries: AsyncIterable<readonly StoredLog[]>,
): Promise<ArchiveManifest | undefined> {
  createFolder(folder);
  const draft = path.join(folder, `.${randomUUID()}.part`);
  try {
    const range = await writeEntries(draft, entries);
    if (range === undefined) return undefined;
    const file = await freeName(folder, `logs-${dayText(daySec)}`);
    const manifest: ArchiveManifest = {
      gateway_log_archive: ARCHIVE_FORMAT,
      file,
      bytes: (await stat(draft)).size,
      sha256: await digestOf(draft),
      ...range,
      archived_at: Math.floor(Date.now() / 1000),
      is_deleted: false,
    };
    await rename(draft, path.join(folder, file));
    await saveManifest(folder, manifest);
    return manifest;
  } finally {
    await rm(draft, { force: true });
  }
}

type ArchivedRange = Pick<ArchiveManifest, 'rows' | 'first' | 'last'>;

async function writeEntries(
  draft: string,
  entries: AsyncIterable<readonly StoredLog[]>,
): Promise<ArchivedRange | undefined> {
  let span: ArchivedRange | undefined;
  async function* texts(): AsyncGenerator<string> {
    for await (const part of entries) {
      for (const { id, created_at } of part) {
        const entry = { id, created_at };
        span = { rows: (span?.rows ?? 0) + 1, first: span?.first ?? entry, last: entry };
      }
      yield part.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    }
  }
  await pipeline(
    Readable.from(texts()),
    createGzip(),
    createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true }),
  );
  return span;
}

/** A day gets a second file if entries of it arrived after the first was written. */
async function freeName(folder: string, base: string): Promise<string> {
  const taken = new Set(await readdir(folder));
  for (let part = 1; ; part += 1) {
    const name = part === 1 ? base : `${base}-${part}`;
    // A file without a manifest is left over from an interrupted attempt.
    if (!taken.has(`${name}.json`)) return `${name}.ndjson.gz`;
  }
}

function manifestName(file: string): string {
  return file.replace(/\.ndjson\.gz$/, '.json');
}

async function saveManifest(folder: string, manifest: ArchiveManifest): Promise<void> {
  const draft = path.join(folder, `.${randomUUID()}.part`);
  await writeFile(draft, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, path.join(folder, manifestName(manifest.file)));
  // Syncs the folder, so that both names survive a power failure.
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function markDeleted(folder: string, manifest: ArchiveManifest): Promise<void> {
  return saveManifest(folder, { ...manifest, is_deleted: true });
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** The archives, oldest first. @throws AppError `archive_unreadable` for a broken manifest. */
export async function manifestsIn(folder: string): Promise<ArchiveManifest[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const manifests = await Promise.all(
    names.filter((name) => /^logs-.*\.json$/.test(name)).map((name) => readManifest(folder, name)),
  );
  return manifests.sort(
    (a, b) => a.first.created_at - b.first.created_at || (a.file < b.file ? -1 : 1),
  );
}

async function readManifest(folder: string, name: string): Promise<ArchiveManifest> {
  try {
    const manifest: ArchiveManifest = JSON.parse(await readFile(path.join(folder, name), 'utf8'));
    if (manifest.gateway_log_archive !== ARCHIVE_FORMAT || manifestName(manifest.file) !== name)
      throw new Error('its form is unknown');
    return manifest;
  } catch (cause) {
    throw unreadableArchive(name, cause);
  }
}

const BATCH_ENTRIES = 1_000;

/** The entries of an archive. @throws AppError `archive_unreadable`, also if it is truncated. */
export async function* archivedEntries(
  folder: string,
  { file, rows }: ArchiveManifest,
): AsyncGenerator<StoredLog[], void, undefined> {
  const bytes = createReadStream(path.join(folder, file));
  const text = bytes.pipe(createGunzip());
  // A file error must also end the text stream, otherwise it would be lost.
  bytes.on('error', (error) => text.destroy(error));
  let batch: StoredLog[] = [];
  let read = 0;
  try {
    for await (const line of createInterface({
      input: text,
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      const row = JSON.parse(line);
      batch.push({ id: numberValue(row.id), ...readEntry(row) });
      read += 1;
      if (batch.length < BATCH_ENTRIES) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
    if (read !== rows) throw new Error(`${read} lines instead of ${rows}`);
  } catch (cause) {
    throw cause instanceof AppError ? cause : unreadableArchive(file, cause);
  } finally {
    bytes.destroy();
    text.destroy();
  }
}

/** Whether the file matches the manifest's checksum. */
export async function hasValidChecksum(
  folder: string,
  { file, sha256 }: ArchiveManifest,
): Promise<boolean> {
  try {
    return (await digestOf(path.join(folder, file))) === sha256;
  } catch {
    // Missing or unreadable: reported by the list.
    return false;
  }
}

/** Whether the archive can contain entries of the given time range, both ends included. */
export function overlaps(
  { first, last }: ArchiveManifest,
  { sinceSec = 0, untilSec }: { sinceSec?: number | undefined; untilSec?: number | undefined },
): boolean {
  return last.created_at >= sinceSec && first.created_at <= (untilSec ?? Number.POSITIVE_INFINITY);
}

/** The whole day that contains a time, both ends included. */
export function wholeDay(atSec: number): { readonly sinceSec: number; readonly untilSec: number } {
  const sinceSec = dayOf(atSec);
  return { sinceSec, untilSec: sinceSec + DAY_SEC - 1 };
}

function unreadableArchive(file: string, cause: unknown): AppError {
  const problem = cause instanceof Error ? cause.message : String(cause);
  return new AppError('archive_unreadable', { file, problem }, { cause });
}
