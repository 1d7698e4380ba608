/** Turns a start-up failure caused by an unwritable folder into an error that names it. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { Config } from './config.ts';
import { AppError } from './domain/errors/errors.ts';
import { parseDsn } from './store/connection/dsn.ts';
import { writeFaultOf } from './store/sql/sql-dialect.ts';

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
const REFUSED: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM']);

/** Returns `disk_full` or `folder_not_writable` for such a failure; any other error unchanged. */
export function asDiskError(config: Config, thrown: unknown): unknown {
  return fileError(thrown) ?? databaseError(config, thrown) ?? thrown;
}

function fileError(thrown: unknown): AppError | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('path' in thrown)) return undefined;
  const folder = path.dirname(String(thrown.path));
  if (FULL.has(String(thrown.code)))
    return new AppError('disk_full', { folder }, { cause: thrown });
  if (!REFUSED.has(String(thrown.code))) return undefined;
  return new AppError('folder_not_writable', { folder }, { cause: thrown });
}

function databaseError({ database }: Config, cause: unknown): AppError | undefined {
  const fault = writeFaultOf(cause);
  const dsn = fault === undefined ? undefined : parseDsn(database.open());
  if (fault === undefined || dsn === undefined) return undefined;
  if (dsn.engine !== 'sqlite') return new AppError('database_not_writable', {}, { cause });
  const folder = path.dirname(dsn.filename);
  if (fault === 'disk full') return new AppError('disk_full', { folder }, { cause });
  // SQLite reports the same error for a folder at the file's path as for an unwritable folder.
  return fault === 'read-only' && !isWritable(folder, dsn.filename)
    ? new AppError('folder_not_writable', { folder }, { cause })
    : undefined;
}

function isWritable(...places: readonly string[]): boolean {
  return places.every((place) => {
    try {
      accessSync(place, constants.W_OK);
      return true;
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'ENOENT';
    }
  });
}
