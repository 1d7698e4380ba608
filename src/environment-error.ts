/**
 * Names the faults of the environment (disk, folders, files, database) that surface as errors of
 * Node or of a database driver, at start or while a command runs.
 */
import type { Config } from './config.ts';
import { AppError } from './domain/errors/errors.ts';
import { parseDsn } from './store/connection/dsn.ts';
import { asFileError } from './store/connection/file-error.ts';
import { asSqliteError } from './store/connection/sqlite-error.ts';
import { writeFault } from './store/sql/sql-dialect.ts';

/** Returns the error that names such a fault; any other error unchanged. */
export function asEnvironmentError(config: Config, thrown: unknown): unknown {
  return asFileError(thrown) ?? databaseError(config, thrown) ?? thrown;
}

function databaseError(config: Config, cause: unknown): AppError | undefined {
  const dsn = parseDsn(config.database.open(), config.databaseSource);
  if (dsn.engine === 'sqlite') return asSqliteError(dsn.filename, cause);
  return writeFault(cause) && new AppError('database_not_writable', {}, { cause });
}
