/** Classifies failures to open a database: driver or file at fault, no response, or rejected. */
import { AppError } from '../../domain/errors/errors.ts';
import { isUnavailable } from '../sql/sql-dialect.ts';
import type { Dsn } from './dsn.ts';
import { asFileError } from './file-error.ts';
import { asSqliteError } from './sqlite-error.ts';

const DRIVERS = { sqlite: 'sqlite3', postgres: 'pg', mysql: 'mysql2' } as const;

export function asOpenError(dsn: Dsn, error: unknown): AppError {
  if (error instanceof AppError && error.cause === undefined) return error;
  const { engine, location } = dsn;
  // The link has already wrapped connection losses.
  const cause = error instanceof AppError ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const loading = driverProblem(cause, message);
  if (loading !== undefined)
    return new AppError(
      'database_driver_missing',
      { driver: DRIVERS[engine], reason: loading },
      { cause },
    );
  if (dsn.engine === 'sqlite') {
    const named = asFileError(cause) ?? asSqliteError(dsn.filename, cause);
    if (named !== undefined) return named;
  }
  const code =
    engine === 'sqlite' || isUnavailable(cause) ? 'database_unreachable' : 'database_refused';
  return new AppError(code, { location, reason: message }, { cause });
}

/** Worth retrying: the server is not available yet, is starting, or has no free connection slot. */
export function isTransientOpenError(error: unknown): boolean {
  return (
    error instanceof AppError && error.code === 'database_unreachable' && isUnavailable(error.cause)
  );
}

/** The path of the SQLite file that does not exist, if that is the error. */
export function missingDatabase(error: unknown): string | undefined {
  return error instanceof AppError && MISSING.has(error.code)
    ? String(error.params.location)
    : undefined;
}

const MISSING: ReadonlySet<string> = new Set(['database_missing', 'log_database_empty']);

/** Before the reason, knex's error for a driver that fails to load has installation advice. */
const KNEX_CANNOT_LOAD = /^Knex: run\n.*\n(?<reason>.*)/;

function driverProblem(cause: unknown, message: string): string | undefined {
  const isMissing =
    cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
  const reason = KNEX_CANNOT_LOAD.exec(message)?.groups?.reason;
  if (isMissing) return message;
  // Strips the long list of paths that follows.
  return reason?.replace(/\.? Tried:$|\.$/, '');
}
