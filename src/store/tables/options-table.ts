/** Rows of `options` (only values that differ from the defaults) and of `option_changes`. */
import type { Knex } from 'knex';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
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

const CHANGES = rowReader({
  id: numberValue,
  /** Epoch seconds. */
  created_at: numberValue,
  /** 0 for the operator at the machine's own terminal. */
  user_id: numberValue,
  key: textValue,
  old_value: textValue,
  new_value: textValue,
});
export type OptionChangeRow = RowOf<typeof CHANGES>;

export async function insertOptionChange(
  trx: Knex.Transaction,
  row: Omit<OptionChangeRow, 'id'>,
): Promise<void> {
  await trx('option_changes').insert(row);
}

/** Changes of these options, latest first. */
export const pageOfOptionChanges = CHANGES.pages((reads, keys: readonly string[]) =>
  reads('option_changes').whereIn('key', [...keys]),
);
