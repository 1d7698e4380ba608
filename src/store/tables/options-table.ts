/** Rows of `options` (only values that differ from the defaults) and of `option_changes`. */
import type { Knex } from 'knex';
import { numberOf, type PageOfRows, pageOfRows, textOf, type Window } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

/** Stored texts by key, secrets encrypted. */
export async function storedOptions(db: Knex): Promise<Map<string, string>> {
  const rows: Row[] = await db('options').select('key', 'value');
  return new Map(rows.map((row) => [textOf(row.key), textOf(row.value)]));
}

export async function putOption(trx: Knex.Transaction, key: string, value: string): Promise<void> {
  await trx('options').insert({ key, value }).onConflict('key').merge(['value']);
}

/** False if the default already applied. */
export async function dropOption(trx: Knex.Transaction, key: string): Promise<boolean> {
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
  window: Window,
): Promise<PageOfRows<OptionChangeRow>> {
  return pageOfRows(reads('option_changes').whereIn('key', [...keys]), window, {
    columns: ['id', 'created_at', 'user_id', 'key', 'old_value', 'new_value'],
    order: [{ column: 'id', order: 'desc' }],
    read: (row) => ({
      id: numberOf(row.id),
      created_at: numberOf(row.created_at),
      user_id: numberOf(row.user_id),
      key: textOf(row.key),
      old_value: textOf(row.old_value),
      new_value: textOf(row.new_value),
    }),
  });
}
