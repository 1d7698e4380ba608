/**
 * Backup format: compressed lines of JSON. The first line is the head; each table has a line with
 * its columns, followed by its rows as arrays of values; the last line holds the row counts, which
 * reveal a truncated file. Independent of the database engine: any can import it.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { AppError } from '../../domain/errors/errors.ts';

export const BACKUP_FORMAT = 1;

export interface BackupHead {
  readonly gateway_backup: typeof BACKUP_FORMAT;
  /** Version of the gateway that wrote it. */
  readonly program: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** Names of the migrations that created the tables. */
  readonly schema: readonly string[];
  /** A keyed hash of a public value: verifies that the available key is the backup's. */
  readonly key_check: string;
  /** The master key itself, if requested. */
  readonly secret_key?: string;
}

export interface BackupTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** Boolean columns, which not every database can distinguish from 1 and 0. */
  readonly booleans: readonly string[];
}

export interface BackupEnd {
  /** Row counts by table. */
  readonly rows: Readonly<Record<string, number>>;
}

export type StoredValue = string | number | boolean | null;

export type BackupPart =
  | { readonly kind: 'head'; readonly head: BackupHead }
  | { readonly kind: 'table'; readonly table: BackupTable }
  | { readonly kind: 'row'; readonly values: readonly StoredValue[] }
  | { readonly kind: 'end'; readonly end: BackupEnd };

export function backupLine(part: object): string {
  return `${JSON.stringify(part)}\n`;
}

/**
 * @throws AppError `backup_missing`; `backup_unreadable` if the system refuses to read the file,
 * `backup_broken` for a foreign, broken or truncated one.
 */
export async function* readBackup(file: string): AsyncGenerator<BackupPart> {
  const bytes = createReadStream(file);
  const text = bytes.pipe(createGunzip());
  // A file error must also end the text stream, otherwise it would be lost.
  bytes.on('error', (error) => text.destroy(error));
  const counted: Record<string, number> = {};
  let state: { table?: BackupTable; isFirst: boolean; isOver: boolean } = {
    isFirst: true,
    isOver: false,
  };
  try {
    for await (const line of createInterface({
      input: text,
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      const part = partOf(JSON.parse(line));
      if (state.isFirst !== (part.kind === 'head')) throw new Error('it is no backup of a gateway');
      state = { ...state, isFirst: false, ...(part.kind === 'table' && { table: part.table }) };
      if (part.kind === 'row') countRow(counted, state.table, part.values);
      if (part.kind === 'end') requireCounts(counted, part.end);
      state.isOver = part.kind === 'end';
      yield part;
    }
    if (!state.isOver) throw new Error('it ends too early');
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if (isMissing(cause)) throw new AppError('backup_missing', { file }, { cause });
    if (!isSystemError(cause)) throw new AppError('backup_broken', { file }, { cause });
    throw new AppError('backup_unreadable', { file, problem: cause.message }, { cause });
  } finally {
    bytes.destroy();
    text.destroy();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Unlike the faults that are found in the content. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

function partOf(line: unknown): BackupPart {
  // Written by `backupLine`; anything else is rejected below.
  if (Array.isArray(line)) return { kind: 'row', values: line };
  if (typeof line !== 'object' || line === null) throw new Error('a line is no object');
  if ('gateway_backup' in line) {
    const head = line as BackupHead;
    if (head.gateway_backup !== BACKUP_FORMAT || !Array.isArray(head.schema))
      throw new Error('its form is unknown');
    return { kind: 'head', head };
  }
  if ('table' in line) return { kind: 'table', table: line as BackupTable };
  if ('rows' in line) return { kind: 'end', end: line as BackupEnd };
  throw new Error('a line is of no known kind');
}

function countRow(
  counted: Record<string, number>,
  table: BackupTable | undefined,
  values: readonly StoredValue[],
): void {
  if (table === undefined || values.length !== table.columns.length)
    throw new Error('a row does not fit its table');
  counted[table.table] = (counted[table.table] ?? 0) + 1;
}

function requireCounts(counted: Readonly<Record<string, number>>, { rows }: BackupEnd): void {
  const differs = Object.keys({ ...rows, ...counted }).some(
    (table) => (rows[table] ?? 0) !== (counted[table] ?? 0),
  );
  if (differs) throw new Error('rows are missing');
}

export interface BackupSummary {
  readonly head: BackupHead;
  readonly rows: Readonly<Record<string, number>>;
}

/** Reads the whole file once. @throws as `readBackup`. */
export async function inspectBackup(file: string): Promise<BackupSummary> {
  let head: BackupHead | undefined;
  let rows: Readonly<Record<string, number>> = {};
  for await (const part of readBackup(file)) {
    if (part.kind === 'head') head = part.head;
    if (part.kind === 'end') rows = part.end.rows;
  }
  if (head === undefined) throw new AppError('backup_broken', { file });
  return { head, rows };
}
