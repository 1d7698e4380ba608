/** What one transaction changes of the accounts: collected first, then written once per table. */
import type { Knex } from 'knex';
import { addTo } from './dialect.ts';

export type AccountTable = 'users' | 'tokens' | 'channels';

/** Column increments collected per row, so that each account is updated once per batch. */
export class Sums {
  /** In the order in which everybody locks them. */
  readonly #tables: Readonly<Record<AccountTable, Map<number, Record<string, number>>>> = {
    users: new Map(),
    tokens: new Map(),
    channels: new Map(),
  };

  idsOf(table: AccountTable): readonly number[] {
    return [...this.#tables[table].keys()];
  }

  add(table: AccountTable, id: number, columns: Readonly<Record<string, number>>): void {
    const rows = this.#tables[table];
    const row = rows.get(id) ?? {};
    rows.set(id, row);
    for (const [column, units] of Object.entries(columns)) row[column] = (row[column] ?? 0) + units;
  }

  /** False, and nothing further written, as soon as a table's condition refuses one of its rows. */
  async write(
    trx: Knex.Transaction,
    conditions: Readonly<Record<string, string>> = {},
  ): Promise<boolean> {
    for (const [table, rows] of Object.entries(this.#tables)) {
      if (rows.size === 0) continue;
      const columns = new Set([...rows.values()].flatMap((row) => Object.keys(row)));
      const adds = [...rows].map(([id, row]) => {
        const add: { id: number } & Record<string, number> = { id };
        for (const column of columns) add[column] = row[column] ?? 0;
        return add;
      });
      const where = conditions[table];
      const updated = await addTo(trx, table, adds, where === undefined ? {} : { where });
      if (where !== undefined && updated.size < adds.length) return false;
    }
    return true;
  }
}
