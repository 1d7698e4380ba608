/** Why a database could not be opened: its driver is missing, it does not answer, or it refuses. */
import { AppError } from '../../domain/errors/errors.ts';
import { isUnavailable } from '../sql/sql-dialect.ts';
import type { Dsn } from './dsn.ts';

const DRIVERS = { sqlite: 'sqlite3', postgres: 'pg', mysql: 'mysql2' } as const;

export function openFailure({ engine, location }: Dsn, error: unknown): AppError {
  // The link has put a loss of the connection in words of its own already.
  const cause = error instanceof AppError && error.cause !== undefined ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const loading = loadingProblem(cause, message);
  if (loading !== undefined)
    return new AppError(
      'database_driver_missing',
      { driver: DRIVERS[engine], reason: loading },
      { cause },
    );
  const code =
    engine === 'sqlite' || isUnavailable(cause) ? 'database_unreachable' : 'database_refused';
  return new AppError(code, { location, reason: message }, { cause });
}

/** Worth another try after a while: the server is not there yet, starts, or has no place left. */
export function isWorthWaiting(error: unknown): boolean {
  return (
    error instanceof AppError && error.code === 'database_unreachable' && isUnavailable(error.cause)
  );
}

/** knex says of every driver that it cannot load how to install it, and then why. */
const KNEX_CANNOT_LOAD = /^Knex: run\n.*\n(?<reason>.*)/;

function loadingProblem(cause: unknown, message: string): string | undefined {
  const isMissing =
    cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
  const reason = KNEX_CANNOT_LOAD.exec(message)?.groups?.reason;
  if (isMissing) return message;
  // The list of places that follows is long.
  return reason?.replace(/\.? Tried:$|\.$/, '');
}
