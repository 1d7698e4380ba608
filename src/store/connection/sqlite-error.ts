/** Names the faults of a SQLite file: another format, damage, no space, no permission. */
import { statfsSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../domain/errors/errors.ts';
import { sqliteCodeOf } from '../sql/sql-dialect.ts';
import { accessError } from './file-error.ts';

/** With less space, SQLite cannot enlarge its log or the index of the log. */
const MIN_FREE_BYTES = 65_536;

/** The error for a fault of the SQLite database in `filename`; undefined for any other failure. */
export function asSqliteError(filename: string, cause: unknown): AppError | undefined {
  const folder = path.dirname(filename);
  switch (sqliteCodeOf(cause)) {
    case 'SQLITE_NOTADB':
      return new AppError('database_not_sqlite', { location: filename }, { cause });
    case 'SQLITE_CORRUPT':
      return new AppError('database_damaged', { location: filename }, { cause });
    case 'SQLITE_FULL':
      return new AppError('disk_full', { folder }, { cause });
    case 'SQLITE_IOERR':
      // Without space for the index of its log, SQLite reports an I/O error.
      return new AppError(isFull(folder) ? 'disk_full' : 'disk_failed', { folder }, { cause });
    case 'SQLITE_READONLY':
    case 'SQLITE_CANTOPEN':
      return accessError(filename, cause);
    default:
      return undefined;
  }
}

function isFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < MIN_FREE_BYTES;
}
