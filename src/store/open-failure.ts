/** Why a database could not be opened: its driver is missing, or it does not answer. */
import { AppError } from '../domain/errors.ts';
import type { Dsn } from './dsn.ts';

const DRIVERS = { sqlite: 'sqlite3', postgres: 'pg', mysql: 'mysql2' } as const;

export function openFailure({ engine, location }: Dsn, cause: unknown): AppError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const loading = loadingProblem(cause, message);
  if (loading !== undefined)
    return new AppError(
      'database_driver_missing',
      { driver: DRIVERS[engine], reason: loading },
      { cause },
    );
  return new AppError('database_unreachable', { location, reason: message }, { cause });
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
