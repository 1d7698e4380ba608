/** Collects the account changes of one transaction and writes them once per table. */
import type { Knex } from 'knex';
import { WindowDeltas } from './budget-windows.ts';
import { type Increment, incrementRows } from './bulk-increments.ts';

/** The order in which all code locks them, before windows of budgets. */
const TABLES = ['users', 'tokens'] as const;

export type AccountTable = (typeof TABLES)[number];

/** Column increments collected per row, so that each account is updated once per batch. */
export class BalanceDeltas {
  readonly #tables: Readonly<Record<AccountTable, Map<number, Record<string, number>>>> = {
    users: new Map(),
    tokens: new Map(),
  };
  readonly windows = new WindowDeltas();

  idsOf(table: AccountTable): readonly number[] {
    return [...this.#tables[table].keys()];
  }

  add(table: AccountTable, id: number, columns: Readonly<Record<string, number>>): void {
    const rows = this.#tables[table];
    const row = rows.get(id) ?? {};
    rows.set(id, row);
    for (const [column, units] of Object.entries(columns)) row[column] = (row[column] ?? 0) + units;
  }

  /** The arguments of `incrementRows`, in the order in which the tables are locked. */
  increments(): { readonly table: AccountTable; readonly increments: readonly Increment[] }[] {
    const found: { table: AccountTable; increments: Increment[] }[] = [];
    for (const table of TABLES) {
      const rows = this.#tables[table];
      if (rows.size === 0) continue;
      const columns = new Set([...rows.values()].flatMap((row) => Object.keys(row)));
      const increments = [...rows].map(([id, row]) => {
        const add: { id: number } & Record<string, number> = { id };
        for (const column of columns) add[column] = row[column] ?? 0;
        return add;
      });
      found.push({ table, increments });
    }
    return found;
  }

  /**
   * Returns false, and stops writing, as soon as a table's condition rejects one of its rows.
   * `balances` receives the new `quota` of each user.
   */
  async write(
    trx: Knex.Transaction,
    conditions: Readonly<Record<string, string>> = {},
    balances?: Map<number, number>,
  ): Promise<boolean> {
    for (const { table, increments } of this.increments()) {
      const where = conditions[table];
      const updated = await incrementRows(trx, table, increments, {
        ...(where === undefined ? {} : { where }),
        ...(balances === undefined || table !== 'users'
          ? {}
          : { reading: { column: 'quota', into: balances } }),
      });
      if (where !== undefined && updated.size < increments.length) return false;
    }
    await this.windows.write(trx);
    return true;
  }
}
