/** Rows of `options` (only values that differ from the defaults) and of `option_changes`. */
import type { Knex } from 'knex';
import {
  numberValue,
  type PageOfRows,
  pageOfRows,
  type RowWindow,
  textValue,
} from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

/** Stored texts by key, secrets encrypted. */
export async function storedOptions(db: Knex): Promise<Map<string, string>> {
  const rows: Row[] = await db('options').select('key', 'value');
  return new Map(rows.map((row) => [textValue(row.key), textValue(row.value)]));
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
      id: numberValue(row.id),
      created_at: numberValue(row.created_at),
      user_id: numberValue(row.user_id),
      key: textValue(row.key),
      old_value: textValue(row.old_value),
      new_value: textValue(row.new_value),
    }),
  });
}
