/**
 * Archives of the log: a file of compressed JSON lines per day (UTC), and beside it a manifest that
 * says what is in it. The manifest comes last and by renaming, so a file without one is the rest of a
 * cut attempt. No line may be deleted before the manifest that covers it is on disk.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { AppError } from '../../domain/errors/errors.ts';
import { DAY_SEC, dayOf, dayText } from '../../domain/logs/months.ts';
import { numberOf } from '../sql/read-rows.ts';
import { readLine, type StoredLog } from './log-rows.ts';

const FORMAT = 1;

export interface Place {
  readonly id: number;
  readonly created_at: number;
}

export interface Manifest {
  readonly gateway_log_archive: typeof FORMAT;
  /** Without its folder. */
  readonly file: string;
  readonly rows: number;
  /** Compressed. */
  readonly bytes: number;
  /** Of the file as it lies on the disk. */
  readonly sha256: string;
  /** In the order of time and id. */
  readonly first: Place;
  readonly last: Place;
  /** Epoch seconds. */
  readonly archived_at: number;
  /** The lines have left the database. */
  readonly is_deleted: boolean;
}

/** Writes lines of one day, oldest first, and answers what the manifest says; undefined for no line. */
export async function writeArchive(
  folder: string,
  daySec: number,
  lines: AsyncIterable<readonly StoredLog[]>,
): Promise<Manifest | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = path.join(folder, `.${randomUUID()}.part`);
  try {
    const span = await writeLines(draft, lines);
    if (span === undefined) return undefined;
    const file = await freeName(folder, `logs-${dayText(daySec)}`);
    const manifest: Manifest = {
      gateway_log_archive: FORMAT,
      file,
      bytes: (await stat(draft)).size,
      sha256: await digestOf(draft),
      ...span,
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

type Span = Pick<Manifest, 'rows' | 'first' | 'last'>;

async function writeLines(
  draft: string,
  lines: AsyncIterable<readonly StoredLog[]>,
): Promise<Span | undefined> {
  let span: Span | undefined;
  async function* texts(): AsyncGenerator<string> {
    for await (const part of lines) {
      for (const { id, created_at } of part) {
        const place = { id, created_at };
        span = { rows: (span?.rows ?? 0) + 1, first: span?.first ?? place, last: place };
      }
      yield part.map((line) => `${JSON.stringify(line)}\n`).join('');
    }
  }
  await pipeline(
    Readable.from(texts()),
    createGzip(),
    createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true }),
  );
  return span;
}

/** A day gets a second file when lines of it came after the first was written. */
async function freeName(folder: string, base: string): Promise<string> {
  const taken = new Set(await readdir(folder));
  for (let part = 1; ; part += 1) {
    const name = part === 1 ? base : `${base}-${part}`;
    // A file without a manifest is the rest of a cut attempt.
    if (!taken.has(`${name}.json`)) return `${name}.ndjson.gz`;
  }
}

function manifestName(file: string): string {
  return file.replace(/\.ndjson\.gz$/, '.json');
}

async function saveManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = path.join(folder, `.${randomUUID()}.part`);
  await writeFile(draft, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, path.join(folder, manifestName(manifest.file)));
  // So that both names outlive a loss of power.
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function noteDeleted(folder: string, manifest: Manifest): Promise<void> {
  return saveManifest(folder, { ...manifest, is_deleted: true });
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** What there is, oldest first. @throws AppError `archive_unreadable` for a broken manifest. */
export async function manifestsIn(folder: string): Promise<Manifest[]> {
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

async function readManifest(folder: string, name: string): Promise<Manifest> {
  try {
    const manifest: Manifest = JSON.parse(await readFile(path.join(folder, name), 'utf8'));
    if (manifest.gateway_log_archive !== FORMAT || manifestName(manifest.file) !== name)
      throw new Error('its form is unknown');
    return manifest;
  } catch (cause) {
    throw unreadable(name, cause);
  }
}

const LINES_AT_ONCE = 1_000;

/** The lines of an archive in their order. @throws AppError `archive_unreadable`, also for one that was cut. */
export async function* archivedLines(
  folder: string,
  { file, rows }: Manifest,
): AsyncGenerator<StoredLog[], void, undefined> {
  const bytes = createReadStream(path.join(folder, file));
  const text = bytes.pipe(createGunzip());
  // An error of the file must end the reading of the text, or nobody would ever hear of it.
  bytes.on('error', (error) => text.destroy(error));
  let batch: StoredLog[] = [];
  let read = 0;
  try {
    for await (const line of createInterface({
      input: text,
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      const row = JSON.parse(line);
      batch.push({ id: numberOf(row.id), ...readLine(row) });
      read += 1;
      if (batch.length < LINES_AT_ONCE) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
    if (read !== rows) throw new Error(`${read} lines instead of ${rows}`);
  } catch (cause) {
    throw cause instanceof AppError ? cause : unreadable(file, cause);
  } finally {
    bytes.destroy();
    text.destroy();
  }
}

/** Whether the file is the one that was written. */
export async function isSound(folder: string, { file, sha256 }: Manifest): Promise<boolean> {
  try {
    return (await digestOf(path.join(folder, file))) === sha256;
  } catch {
    // Missing, or not to be read: the list says so.
    return false;
  }
}

/** Whether some of its lines can be of the time, both ends included. */
export function overlaps(
  { first, last }: Manifest,
  { sinceSec = 0, untilSec }: { sinceSec?: number | undefined; untilSec?: number | undefined },
): boolean {
  return last.created_at >= sinceSec && first.created_at <= (untilSec ?? Number.POSITIVE_INFINITY);
}

/** The whole day of a time, both ends included. */
export function wholeDay(atSec: number): { readonly sinceSec: number; readonly untilSec: number } {
  const sinceSec = dayOf(atSec);
  return { sinceSec, untilSec: sinceSec + DAY_SEC - 1 };
}

function unreadable(file: string, cause: unknown): AppError {
  const problem = cause instanceof Error ? cause.message : String(cause);
  return new AppError('archive_unreadable', { file, problem }, { cause });
}
