/**
 * All columns of the database that hold encrypted values, so that they can be re-encrypted under
 * another secret key. A test detects missing columns.
 */
import type { Knex } from 'knex';
import { OPTION_KEYS, optionRowOf } from '../../domain/options/registry.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { inTransaction } from '../connection/transaction.ts';
import { insertOnce } from '../sql/inserts.ts';
import { textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

export interface EncryptedColumn {
  readonly table: string;
  /** The table's primary key. */
  readonly key: string;
  readonly column: string;
  /** The encrypted member of the JSON object in the column; absent if all of it is encrypted. */
  readonly member?: string;
  /** Only rows with these keys hold encrypted values. */
  readonly only?: readonly string[];
  /** Short-lived (minutes): a value that no key can decrypt may be dropped. */
  readonly isTransient?: true;
  /** Rows read at once, if their values are long. */
  readonly batchRows?: number;
}

const SECRET_OPTIONS = OPTION_KEYS.filter((key) => optionRowOf(key).secret === true);

/** The site's own keys come last: they need the key that decrypts everything before them. */
export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  { table: 'channel_keys', key: 'id', column: 'key_cipher' },
  { table: 'tokens', key: 'id', column: 'key_cipher' },
  { table: 'options', key: 'key', column: 'value', only: SECRET_OPTIONS },
  { table: 'users', key: 'id', column: 'setting', member: 'webhook_secret' },
  { table: 'sign_in_states', key: 'state_hash', column: 'sealed', isTransient: true },
  { table: 'kept_answers', key: 'request_id', column: 'items', batchRows: 20 },
  { table: 'setup_codes', key: 'id', column: 'code_cipher', isTransient: true },
  { table: 'site_keys', key: 'name', column: 'key_cipher' },
];

const BATCH_ROWS = 500;

/** Re-encrypts a value; the same text if nothing changes. @throws if it cannot be decrypted. */
export type Reencrypt = (sealed: string, location: EncryptedColumn, key: string) => string;

export interface ReencryptOptions {
  readonly signal: AbortSignal;
  onRows(count: number): void;
}

/**
 * Re-encrypts every value of a column, one transaction per few hundred rows, and returns the number
 * of changed rows. A row changed concurrently is left as it is: repeat until nothing changes.
 */
export async function reencryptColumn(
  databases: { readonly db: Knex; readonly reads: Knex },
  location: EncryptedColumn,
  reseal: Reencrypt,
  { signal, onRows }: ReencryptOptions,
): Promise<number> {
  let changed = 0;
  for (let after: unknown; ; ) {
    signal.throwIfAborted();
    const rows = await rowsAfter(databases.reads, location, after);
    changed += await inTransaction(databases, ({ db }) =>
      reencryptRows(db, location, rows, reseal),
    );
    onRows(rows.length);
    if (rows.length < batchOf(location)) return changed;
    after = rows.at(-1)?.[location.key];
  }
}

async function rowsAfter(reads: Knex, location: EncryptedColumn, after: unknown): Promise<Row[]> {
  const { table, key, column, only } = location;
  const query = reads(table).select(key, column).whereNot(column, '');
  if (only !== undefined) query.whereIn(key, [...only]);
  if (after !== undefined) query.where(key, '>', String(after));
  return query.orderBy(key).limit(batchOf(location));
}

function batchOf({ batchRows = BATCH_ROWS }: EncryptedColumn): number {
  return batchRows;
}

async function reencryptRows(
  trx: Knex,
  location: EncryptedColumn,
  rows: readonly Row[],
  reseal: Reencrypt,
): Promise<number> {
  const { table, key, column, member } = location;
  let changed = 0;
  for (const row of rows) {
    const before = textValue(row[column]);
    const again = (sealed: string) => reseal(sealed, location, textValue(row[key]));
    const after = member === undefined ? again(before) : reencryptMember(before, member, again);
    if (after === before) continue;
    const where = { [key]: row[key], [column]: before };
    changed += await trx(table)
      .where(where)
      .update({ [column]: after });
  }
  return changed;
}

/** Values from an older installation may be plain text; they are left unchanged. */
function reencryptMember(text: string, member: string, reseal: (sealed: string) => string): string {
  const value = parsedObject(text)[member];
  if (typeof value !== 'string' || !value.startsWith('v1:')) return text;
  return JSON.stringify({ ...parsedObject(text), [member]: reseal(value) });
}

const HASH_KEY = 'hash';

/** The key of all hashes, encrypted; undefined until the secret key is first changed. */
export async function encryptedHashKey(reads: Knex): Promise<string | undefined> {
  const row: Row | undefined = await reads('site_keys').where({ name: HASH_KEY }).first();
  return row === undefined ? undefined : textValue(row.key_cipher);
}

/** An existing key is kept. */
export async function saveHashKey(db: Knex, keyCipher: string): Promise<void> {
  await insertOnce(db, 'site_keys', { name: HASH_KEY, key_cipher: keyCipher }, 'name');
}
