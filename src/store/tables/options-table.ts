/** Rows of `options` (only values that differ from the defaults) and of `option_changes`. */
import type { Knex } from 'knex';
import {
  type PageOfRows,
  pageOfRows,
  type RowWindow,
  readNumber,
  readText,
} from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

/** Stored texts by key, secrets encrypted. */
export async function storedOptions(db: Knex): Promise<Map<string, string>> {
  const rows: Row[] = await db('options').select('key', 'value');
  return new Map(rows.map((row) => [readText(row.key), readText(row.value)]));
}

export async function putOption(trx: Knex.Transaction, key: string, value: string): Promise<void> {
  await trx('options').insert({ key, value }).onConflict('key').merge(['value']);
}

/** False if the default already applied. */
export async function deleteOption(trx: Knex.Transaction, key: string): Promise<boolean> {
  return (await trx('options').where({ key }).delete()) > 0;
}

export interface OptionChangeRow {
  readonly id: number;
  /** Epoch seconds. */
  readonly created_at: number;
  /** 0 for the operator at the machine's own terminal. */
  readonly user_id: number;
  readonly key: string;
  readonly old_value: string;
  readonly new_value: string;
}

export async function insertOptionChange(
  trx: Knex.Transaction,
  row: Omit<OptionChangeRow, 'id'>,
): Promise<void> {
  await trx('option_changes').insert(row);
}

/** Changes of these options, latest first. */
export function pageOfOptionChanges(
  reads: Knex,
  keys: readonly string[],
  window: RowWindow,
): Promise<PageOfRows<OptionChangeRow>> {
  return pageOfRows(reads('option_changes').whereIn('key', [...keys]), window, {
    columns: ['id', 'created_at', 'user_id', 'key', 'old_value', 'new_value'],
    order: [{ column: 'id', order: 'desc' }],
    read: (row) => ({
      id: readNumber(row.id),
      created_at: readNumber(row.created_at),
      user_id: readNumber(row.user_id),
      key: readText(row.key),
      old_value: readText(row.old_value),
      new_value: readText(row.new_value),
    }),
  });
}
