/** A backup reads every row once, however many pages a table has. */
import { afterAll, describe, expect, it } from 'vitest';
import { batchesOf } from '../../src/store/backup/backup.ts';
import { tableDefinitions } from '../../src/store/schema/table-definitions.ts';
import { rowsOf } from '../../src/store/sql/sql-dialect.ts';
import { databases, type FreshDatabase, freshDatabase } from '../support/databases.ts';

const ROWS = 5_500;

describe.each(databases)('the pages of a backup on $kind', ({ kind }) => {
  let database: FreshDatabase | undefined;
  afterAll(() => database?.drop());

  it('contain each row of a table with several key columns once, in order', async () => {
    database = await freshDatabase(kind);
    const { db } = database;
    const rows = Array.from({ length: ROWS }, (_, at) => ({
      run: at % 3,
      account: at % 2 === 0 ? 'user' : 'token',
      account_id: at,
      units: 0,
    }));
    await db.batchInsert('ledger_sums', rows, 500);
    const table = (await tableDefinitions()).find(({ name }) => name === 'ledger_sums');
    if (table === undefined) throw new Error('no such table');
    await db.transaction(async (trx) => {
      const before = await rowsRead();
      const ids: unknown[] = [];
      for await (const page of batchesOf(trx, table))
        ids.push(...page.map((row) => row.account_id));
      expect(ids).toHaveLength(ROWS);
      expect(new Set(ids).size).toBe(ROWS);
      expect(await rowsRead()).toBeLessThan(before + ROWS * 1.5);

      /** Counted by MariaDB and MySQL. */
      async function rowsRead(): Promise<number> {
        if (kind !== 'mysql') return 0;
        const counts = rowsOf(await trx.raw("show session status like 'Handler_read_next'"));
        return Number(counts[0]?.Value);
      }
    });
  });
});
