/** Checks that the connection count of the chaos run includes the connections of a gateway. */
import { describe, expect, it } from 'vitest';
import { rowsOf } from '../../../../src/store/sql/sql-dialect.ts';
import { databases, freshDatabase } from '../../../support/databases.ts';
import { DATABASES } from './database.ts';

const hasPostgres = databases.some(({ kind }) => kind === 'postgres');

describe.skipIf(!hasPostgres)('on postgres', () => {
  it('counts the database connections of a gateway', async () => {
    const database = await freshDatabase('postgres');
    const [row] = rowsOf(await database.db.raw(DATABASES.postgres.connections));
    await database.drop();
    expect(Number(row?.n)).toBeGreaterThan(0);
  });
});
