/** The count of connections at the end of the chaos run has to see those of the gateway. */
import { describe, expect, it } from 'vitest';
import { rowsOf } from '../../src/store/dialect.ts';
import { databases, freshDatabase } from '../databases.ts';
import { DATABASES } from './database.ts';

describe.each(databases.filter(({ kind }) => kind === 'postgres'))('on $kind', ({ kind }) => {
  it('the connections of a gateway are counted', async () => {
    const database = await freshDatabase(kind);
    const [row] = rowsOf(await database.db.raw(DATABASES.postgres.connections));
    await database.drop();
    expect(Number(row?.n)).toBeGreaterThan(0);
  });
});
