/** The file of a SQLite database before it is opened. */
import { closeSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../domain/errors/errors.ts';
import { createFolder } from '../../folders.ts';

/**
 * Makes sure that there is a file, because SQLite would create one for a reader too.
 * @throws AppError `database_missing`, `database_not_sqlite` for a folder.
 */
export function prepareSqliteFile(filename: string, mayCreate: boolean): void {
  const found = statSync(filename, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new AppError('database_not_sqlite', { location: filename });
  if (found !== undefined) return;
  if (!mayCreate) throw new AppError('database_missing', { location: filename });
  createFolder(path.dirname(filename));
  // Accessible to its owner only; SQLite gives its -wal and -shm the same mode.
  closeSync(openSync(filename, 'a', 0o600));
}
