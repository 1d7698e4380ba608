/** Writes a backup of a running site: all tables as of one moment. */
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Knex } from 'knex';
import type { Databases } from '../connection/database.ts';
import type { Engine } from '../connection/engine.ts';
import { inSnapshot } from '../connection/transaction.ts';
import { LOG_TABLES, type LogDatabase } from '../logs/log-database.ts';
import { isBackedUp, type TableDefinition, tableDefinitions } from '../schema/table-definitions.ts';
import {
  booleanValue,
  engineOf,
  quotedNames,
  quoteName,
  type Row,
  rowsOf,
} from '../sql/sql-dialect.ts';
import { type BackupHead, backupLine, type StoredValue } from './backup-file.ts';

const BATCH_ROWS = 1_000;

/** The site's database and its log database, which may be the same. */
export interface BackupSources {
  readonly site: Source;
  readonly log: Source & Pick<LogDatabase, 'isSeparate'>;
}

type Source = Pick<Databases, 'engine' | 'reads'>;

export interface BackupOptions {
  readonly signal: AbortSignal;
  onRows(count: number): void;
}

/**
 * Returns rows by table, or 'exists' if `target` already exists. The file is readable by its owner
 * only; an interrupted backup is removed.
 */
export async function writeBackup(
  sources: BackupSources,
  target: string,
  head: BackupHead,
  options: BackupOptions,
): Promise<Readonly<Record<string, number>> | 'exists'> {
  if (existsSync(target)) return 'exists';
  const tables = (await tableDefinitions()).filter(isBackedUp);
  const draft = `${target}.part`;
  const rows: Record<string, number> = {};
  try {
    await inSnapshots(sources, (databaseOf) =>
      pipeline(
        Readable.from(linesOf(databaseOf, { head, tables, rows, onRows: options.onRows })),
        createGzip(),
        createWriteStream(draft, { mode: 0o600, flags: 'w' }),
        { signal: options.signal },
      ),
    );
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return rows;
}

type DatabaseOf = (table: TableDefinition) => Knex;

/**
 * The log's snapshot is taken last, so an entry that has left the outbox by then is in the log. An
 * entry in both has its key, by which the restored site detects the duplicate.
 */
function inSnapshots(
  { site, log }: BackupSources,
  work: (databaseOf: DatabaseOf) => Promise<void>,
): Promise<void> {
  return inSnapshot(site, async (siteTrx) => {
    if (!log.isSeparate) return work(() => siteTrx);
    // The first query takes the snapshot.
    await siteTrx('log_outbox').first('id');
    return inSnapshot(log, (logTrx) =>
      work(({ name }) => (LOG_TABLES.has(name) ? logTrx : siteTrx)),
    );
  });
}

interface Contents {
  readonly head: BackupHead;
  readonly tables: readonly TableDefinition[];
  readonly rows: Record<string, number>;
  onRows(count: number): void;
}

async function* linesOf(
  databaseOf: DatabaseOf,
  { head, tables, rows, onRows }: Contents,
): AsyncGenerator<string> {
  yield backupLine(head);
  for (const table of tables) {
    const { name, columns, booleans } = table;
    yield backupLine({ table: name, columns, booleans });
    rows[name] = 0;
    for await (const part of batchesOf(databaseOf(table), table)) {
      rows[name] += part.length;
      onRows(part.length);
      yield part
        .map((row) => backupLine(columns.map((column) => storedValue(row, column, table))))
        .join('');
    }
  }
  yield backupLine({ rows });
}

/** In primary key order, each part starting after the end of the previous one. */
export async function* batchesOf(
  trx: Knex,
  { name, columns, key }: TableDefinition,
): AsyncGenerator<Row[]> {
  const engine = engineOf(trx);
  const select = `select ${quotedNames(engine, columns)} from ${quoteName(engine, name)}`;
  const keys = quotedNames(engine, key);
  let after: StoredValue[] = [];
  for (;;) {
    const where = after.length === 0 ? undefined : afterKey(engine, key, after);
    const sql = `${select} ${where?.sql ?? ''} order by ${keys} limit ${BATCH_ROWS}`;
    const rows = rowsOf(await trx.raw(sql, where?.values ?? []));
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_ROWS) return;
    after = key.map((column) => last[column] as StoredValue); // a key is a text or a number
  }
}

/**
 * MariaDB and MySQL read a comparison of whole rows from the start of the table; the others find its
 * place in the index, but not that of the same condition written out.
 */
function afterKey(engine: Engine, key: readonly string[], after: readonly StoredValue[]) {
  const names = key.map((column) => quoteName(engine, column));
  if (engine !== 'mysql') {
    const marks = key.map(() => '?').join(', ');
    return { sql: `where (${names.join(', ')}) > (${marks})`, values: [...after] };
  }
  const cases = names.map((name, at) => {
    const equal = names.slice(0, at).map((one) => `${one} = ?`);
    return `(${[...equal, `${name} > ?`].join(' and ')})`;
  });
  const values = names.flatMap((_, at) => after.slice(0, at + 1));
  return { sql: `where ${cases.join(' or ')}`, values };
}

function storedValue(row: Row, column: string, { booleans }: TableDefinition): StoredValue {
  const value = row[column];
  if (value === null || value === undefined) return null;
  if (booleans.includes(column)) return booleanValue(value);
  if (typeof value === 'number' || typeof value === 'string') return value;
  throw new TypeError(`${column} holds a value that a backup cannot`);
}
