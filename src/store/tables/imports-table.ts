/** Records of an import: the source installation, and what its rows were mapped to. */
import type { Knex } from 'knex';
import { insertOnce, insertRows, upsertRows } from '../sql/inserts.ts';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import { chunksOf, engineOf, quoteName, type Row, rowsOf } from '../sql/sql-dialect.ts';

const IMPORTS = rowReader({
  family: textValue,
  location: textValue,
});
export type ImportRow = RowOf<typeof IMPORTS>;

export function importByName(db: Knex, name: string): Promise<ImportRow | undefined> {
  return IMPORTS.first(db('imports').where({ name }));
}

/** False if an import of that name already exists. */
export function beginImport(
  db: Knex,
  name: string,
  { family, location, atSec }: ImportRow & { readonly atSec: number },
): Promise<boolean> {
  const row = { name, family, location, started_at: atSec, finished_at: 0 };
  return insertOnce(db, 'imports', row, 'name');
}

export async function endImport(db: Knex, name: string, atSec: number): Promise<void> {
  await db('imports').where({ name }).update({ finished_at: atSec });
}

/** Our ids by source id, of all rows of a kind imported so far. */
export async function mappedIds(
  db: Knex,
  name: string,
  kind: string,
): Promise<Map<number, number>> {
  const rows: Row[] = await db('import_map')
    .where({ import_name: name, kind })
    .select(['source_id', 'target_id']);
  return new Map(rows.map((row) => [numberValue(row.source_id), numberValue(row.target_id)]));
}

export type IdPair = readonly [sourceId: number, targetId: number];

/** Fails, and with it the transaction, if one of them is already mapped. */
export async function addMappings(
  trx: Knex.Transaction,
  name: string,
  kind: string,
  pairs: readonly IdPair[],
): Promise<void> {
  const rows = pairs.map(([source_id, target_id]) => ({
    import_name: name,
    kind,
    source_id,
    target_id,
  }));
  if (rows.length > 0) await insertRows(trx, 'import_map', rows);
}

/** Stores how far a history has been read, as the mapping of id 0. */
export async function saveImportProgress(
  trx: Knex.Transaction,
  name: string,
  kind: string,
  lastId: number,
): Promise<void> {
  const row = { import_name: name, kind, source_id: 0, target_id: lastId };
  await upsertRows(trx, 'import_map', [row], { key: ['import_name', 'kind', 'source_id'] });
}

const MAX_VALUES = 1_000;

/** The values that already exist in this column; e-mail addresses are compared ignoring case. */
export async function existingValues(
  db: Knex,
  table: string,
  column: string,
  values: readonly (string | number)[],
): Promise<string[]> {
  const existing: string[] = [];
  for (const part of chunksOf([...new Set(values)], MAX_VALUES)) {
    const rows: Row[] = await rowsWith(db, table, column, part);
    existing.push(...rows.map((row) => textValue(row.value).trim()));
  }
  return existing;
}

function rowsWith(
  db: Knex,
  table: string,
  column: string,
  values: (string | number)[],
): Knex.QueryBuilder {
  if (column !== 'email') return db(table).whereIn(column, values).select({ value: column });
  // In the form used by each database's index.
  if (engineOf(db) === 'mysql')
    return db(table).whereIn('email_key', values).select({ value: 'email_key' });
  const marks = values.map(() => '?').join(',');
  return db(table)
    .whereNot({ email: '' })
    .whereRaw(`lower(email) in (${marks})`, values)
    .select(db.raw('lower(email) as value'));
}

export async function highestId(db: Knex, table: string): Promise<number> {
  const row: Row | undefined = await db(table).max({ id: 'id' }).first();
  return numberValue(row?.id);
}

/**
 * After inserting rows with explicit ids, advances PostgreSQL's sequence beyond the highest id. The
 * other databases do that by themselves.
 */
export async function advanceIdSequence(db: Knex, table: string): Promise<void> {
  if (engineOf(db) !== 'postgres') return;
  const name = quoteName('postgres', table);
  const [sequence] = rowsOf(await db.raw(`select pg_get_serial_sequence('${name}', 'id') as name`));
  // Never backwards: another transaction may have taken ids beyond the committed ones.
  if (sequence?.name)
    await db.raw(
      `select setval(?::regclass, greatest((select max(id) from ${name}), (select last_value from ${textValue(sequence.name)}), 1))`,
      [textValue(sequence.name)],
    );
}

/** Sets who invited these users, unless already set. */
export async function setInviters(trx: Knex.Transaction, pairs: readonly IdPair[]): Promise<void> {
  for (const [id, inviter_id] of pairs)
    await trx('users').where({ id, inviter_id: 0 }).update({ inviter_id });
}
