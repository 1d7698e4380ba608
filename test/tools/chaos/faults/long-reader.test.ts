/**
 * Checks that a migration behind a long-running reader waits for it without blocking other clients.
 */
import { describe, expect, it } from 'vitest';
import { databases, freshDatabase } from '../../../support/databases.ts';
import { migrateBehindReader } from './long-reader.ts';

const hasPostgres = databases.some(({ kind }) => kind === 'postgres');

describe.skipIf(!hasPostgres)('migration behind a long-running reader on postgres', () => {
  it('waits without blocking other reads and writes and changes nothing', async () => {
    const database = await freshDatabase('postgres');
    const { db } = database;
    const columns = () => Promise.all([db('users').columnInfo(), db('channels').columnInfo()]);
    try {
      const before = await columns();
      const [{ id }] = await db('users').insert({ username: 'alice' }).returning('id');
      const end = await migrateBehindReader(database.dsn);
      for (let write = 0; write < 20; write += 1)
        await db('users').where({ id }).increment('quota', 1);
      await end();
      expect(await db('users').where({ id }).first('quota')).toEqual({ quota: 20 });
      expect(await columns()).toEqual(before);
    } finally {
      await database.drop();
    }
  });
});
