/** Rows of `options`: only what differs from the defaults is stored. */
import type { Knex } from 'knex';
import type { Row } from './dialect.ts';
import { textOf } from './read.ts';

/** Stored texts by key, secrets as cipher text. */
export async function storedOptions(db: Knex): Promise<Map<string, string>> {
  const rows: Row[] = await db('options').select('key', 'value');
  return new Map(rows.map((row) => [textOf(row.key), textOf(row.value)]));
}

export async function putOption(trx: Knex.Transaction, key: string, value: string): Promise<void> {
  await trx('options').insert({ key, value }).onConflict('key').merge(['value']);
}

/** False when the default was in force already. */
export async function dropOption(trx: Knex.Transaction, key: string): Promise<boolean> {
  return (await trx('options').where({ key }).delete()) > 0;
}
