/** Differences between databases: names, errors, texts and result formats. */
import type { Knex } from 'knex';
import type { Engine } from '../connection/engine.ts';

const ENGINES: Readonly<Record<string, Engine>> = {
  sqlite3: 'sqlite',
  postgresql: 'postgres',
  mysql: 'mysql',
};

export function engineOf(db: Knex): Engine {
  const name: unknown = db.client.dialect;
  const engine = ENGINES[String(name)];
  if (engine === undefined) throw new Error(`no dialect for ${String(name)}`);
  return engine;
}

/** A name quoted for raw SQL: `key`, `group`, `order` are reserved in some databases. */
export function quoteName(engine: Engine, name: string): string {
  const mark = engine === 'mysql' ? '`' : '"';
  return `${mark}${name.replaceAll(mark, mark + mark)}${mark}`;
}

/**
 * A text literal for a statement without bound values. On PostgreSQL independent of
 * `standard_conforming_strings` (postgresql.org, "String Constants with C-Style Escapes").
 * Undefined for a text with a null character, which would end SQLite's statement.
 */
export function textLiteral(engine: 'sqlite' | 'postgres', text: string): string | undefined {
  if (text.includes('\0')) return undefined;
  const quoted = text.includes("'") ? text.replaceAll("'", "''") : text;
  if (engine === 'sqlite' || !quoted.includes('\\')) return `'${quoted}'`;
  return `E'${quoted.replaceAll('\\', '\\\\')}'`;
}

export type Scalar = string | number | boolean | null;

/**
 * PostgreSQL's array of texts, of exact integers or of booleans, as a literal; undefined if a value
 * is none, or has a null character. Nulls may be among them.
 */
export function arrayLiteral(values: readonly Scalar[]): string | undefined {
  const type = ARRAY_TYPES[typeof values.find((value) => value !== null)];
  if (type === undefined) return undefined;
  let items = '';
  for (const value of values) {
    let item = String(value);
    if (typeof value === 'string') item = `"${value.replace(/["\\]/g, '\\$&')}"`;
    else if (typeof value === 'number' && !Number.isSafeInteger(value)) return undefined;
    items += items === '' ? item : `,${item}`;
  }
  const literal = textLiteral('postgres', `{${items}}`);
  return literal && `${literal}::${type}[]`;
}

const ARRAY_TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'bigint',
  boolean: 'boolean',
};

/** A unique index rejected the row. */
export function isDuplicate(error: unknown): boolean {
  const { code, message } = codeAndMessage(error);
  if (code === 'SQLITE_CONSTRAINT') return /UNIQUE constraint failed/.test(message);
  return code === '23505' || code === 'ER_DUP_ENTRY';
}

/** MariaDB and MySQL limit keys by the page size of the server. */
export function isKeyTooLong(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ER_TOO_LONG_KEY';
}

/** The database aborted in favour of another transaction; a retry may succeed. */
export function isRetryable(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (RETRYABLE.has(codeAndMessage(at).code)) return true;
  return false;
}

const RETRYABLE: ReadonlySet<string> = new Set([
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  // serialization_failure, deadlock_detected, lock_not_available: PostgreSQL, appendix A.
  '40001',
  '40P01',
  '55P03',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  // MariaDB with innodb_snapshot_isolation: the row changed since this transaction first read it.
  'ER_CHECKREAD',
]);

/** Why a reachable database rejects writes. */
export type WriteFault = 'disk full' | 'read-only' | 'disk error';

/** Why a reachable database rejects settlements: no writes, or only not these. */
export type SettlementFault = WriteFault | 'damaged' | 'not permitted' | 'statements fail';

/** Undefined if the statement itself or the connection was at fault. */
export function writeFault(error: unknown): WriteFault | undefined {
  return faultIn(WRITE_FAULTS, error);
}

/** The same for settlements, whose statements are known to be correct. */
export function settlementFaultOf(error: unknown): SettlementFault | undefined {
  return faultIn<SettlementFault>(WRITE_FAULTS, error) ?? faultIn(TABLE_FAULTS, error);
}

function faultIn<F>(faults: ReadonlyMap<string, F>, error: unknown): F | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const fault = faults.get(codeAndMessage(at).code);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const WRITE_FAULTS: ReadonlyMap<string, WriteFault> = new Map([
  ['SQLITE_FULL', 'disk full'],
  ['SQLITE_READONLY', 'read-only'],
  ['SQLITE_CANTOPEN', 'read-only'],
  ['SQLITE_IOERR', 'disk error'],
  // disk_full, read_only_sql_transaction: PostgreSQL, appendix A.
  ['53100', 'disk full'],
  ['25006', 'read-only'],
  ['ER_DISK_FULL', 'disk full'],
  ['ER_RECORD_FILE_FULL', 'disk full'],
  ['ER_OPTION_PREVENTS_STATEMENT', 'read-only'],
  ['ER_READ_ONLY_MODE', 'read-only'],
  ['ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION', 'read-only'],
]);

const TABLE_FAULTS: ReadonlyMap<string, SettlementFault> = new Map([
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  // data_corrupted, index_corrupted, insufficient_privilege: PostgreSQL, appendix A.
  ['XX001', 'damaged'],
  ['XX002', 'damaged'],
  ['42501', 'not permitted'],
  ['ER_NOT_KEYFILE', 'damaged'],
  ['ER_OLD_KEYFILE', 'damaged'],
  ['ER_CRASHED_ON_USAGE', 'damaged'],
  ['ER_CRASHED_ON_REPAIR', 'damaged'],
  ['ER_TABLEACCESS_DENIED_ERROR', 'not permitted'],
  ['ER_COLUMNACCESS_DENIED_ERROR', 'not permitted'],
  ['ER_DBACCESS_DENIED_ERROR', 'not permitted'],
]);

/** A statement names a table that does not exist. undefined_table: PostgreSQL, appendix A. */
export function isTableMissing(error: unknown): boolean {
  const { code, message } = codeAndMessage(error);
  if (code === 'SQLITE_ERROR') return message.includes('no such table');
  return code === '42P01' || code === 'ER_NO_SUCH_TABLE';
}

/** SQLite's own code of the error or of one of its causes, such as `SQLITE_CORRUPT`. */
export function sqliteCodeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = codeAndMessage(at);
    if (code.startsWith('SQLITE_')) return code;
  }
  return undefined;
}

/** The server is unreachable or going away: the result of the last statement is unknown. */
export function isConnectionLoss(error: unknown): boolean {
  const { code, message } = codeAndMessage(error);
  return CONNECTION_LOSSES.has(code) || CONNECTION_MESSAGES.test(message);
}

/** A connection loss, or no free connection slot, which may be temporary. */
export function isUnavailable(error: unknown): boolean {
  return isConnectionLoss(error) || TOO_MANY_CONNECTIONS.has(codeAndMessage(error).code);
}

// too_many_connections: PostgreSQL, appendix A.
const TOO_MANY_CONNECTIONS: ReadonlySet<string> = new Set([
  '53300',
  'ER_CON_COUNT_ERROR',
  'ER_USER_LIMIT_REACHED',
  'ER_TOO_MANY_USER_CONNECTIONS',
]);

/** A timeout, which may be this process's own fault; all other losses are reported explicitly. */
export function isTimeout(error: unknown): boolean {
  const { code, message } = codeAndMessage(error);
  return code === 'ETIMEDOUT' || /timeout/i.test(message);
}

const CONNECTION_LOSSES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  // connection_exception and related codes, admin_shutdown, crash_shutdown, cannot_connect_now,
  // idle_in_transaction_session_timeout: PostgreSQL, appendix A.
  '08000',
  '08003',
  '08006',
  '57P01',
  '57P02',
  '57P03',
  '25P03',
  'PROTOCOL_CONNECTION_LOST',
  'ER_SERVER_SHUTDOWN',
  'ER_CONNECTION_KILLED',
]);
/**
 * Messages of pg, mysql2 and knex's pool that have no code, and of PgBouncer, which uses one code
 * for everything. The end of a connection may reach knex later.
 */
const CONNECTION_MESSAGES =
  /server login has been failing|query_wait_timeout|server conn crashed|Connection terminated|Client has encountered a connection error|timeout expired|Timeout acquiring a connection|closed state/i;

/** An arithmetic expression of a statement failed. Division by zero: PostgreSQL, appendix A. */
export function isArithmeticError(error: unknown): boolean {
  const { code, message } = codeAndMessage(error);
  return code === '22012' || (code === 'SQLITE_ERROR' && message.includes('integer overflow'));
}

function codeAndMessage(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: '' };
  return { code: 'code' in error ? String(error.code) : '', message: error.message };
}

/**
 * A condition for `whereRaw(...likeContains(column, text))`. The text is matched literally,
 * ignoring case (on SQLite that of ASCII letters only).
 */
export function likeContains(column: string, text: string): [sql: string, bindings: string[]] {
  return like(column, `%${escapeLike(text)}%`);
}

/** Same for the beginning of a value. */
export function likePrefix(column: string, text: string): [sql: string, bindings: string[]] {
  return like(column, `${escapeLike(text)}%`);
}

/** Same for a pattern in which `*` matches anything. */
export function likePattern(column: string, text: string): [sql: string, bindings: string[]] {
  return like(column, escapeLike(text).replaceAll('*', '%'));
}

function like(column: string, pattern: string): [sql: string, bindings: string[]] {
  // Sets the escape character explicitly: the default differs, as does a backslash in a literal.
  return ["lower(??) like lower(?) escape '!'", [column, pattern]];
}

function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

/** Converts a boolean column: PostgreSQL returns booleans, the others 0 and 1. */
export function booleanValue(value: unknown): boolean {
  return value === true || value === 1;
}

export function nullableBooleanValue(value: unknown): boolean | null {
  return value === null || value === undefined ? null : booleanValue(value);
}

export type Row = Record<string, unknown>;

/** Rows of a raw statement, which the drivers wrap differently and knex passes through. */
export function rowsOf(answer: unknown): Row[] {
  const rows = Array.isArray(answer)
    ? // mysql2 returns [rows, fields], sqlite3 the rows.
      Array.isArray(answer[0])
      ? answer[0]
      : answer
    : Reflect.get(Object(answer), 'rows');
  return Array.isArray(rows) ? rows : [];
}

export function quotedNames(engine: Engine, columns: readonly string[]): string {
  return columns.map((column) => quoteName(engine, column)).join(', ');
}

export function* chunksOf<T>(list: readonly T[], size: number): Generator<T[]> {
  const step = Math.max(1, Math.floor(size));
  for (let start = 0; start < list.length; start += step) yield list.slice(start, start + step);
}

/** PostgreSQL allows 65,535 bound values per statement, SQLite 32,766. */
export const MAX_BINDINGS = 30_000;

export function columnsOf(rows: readonly object[]): string[] {
  return Object.keys(rows[0] ?? {});
}
