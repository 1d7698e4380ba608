/** A database of another program is refused on every engine. */

import { describe, it } from 'vitest';
import { openDatabases } from '../../src/store/connection/database.ts';
import { databases, emptyDatabase, freshDatabase } from '../support/databases.ts';
import { expectRefusal } from '../support/expect-refusal.ts';

const opened = async (dsn: string) => {
  const pools = await openDatabases(dsn, { isForGateway: true });
  await pools.close();
};

describe.each(databases)('a database for a gateway on $kind', ({ kind }) => {
  it('may be empty, or have the tables of a gateway beside others', async () => {
    const empty = await emptyDatabase(kind);
    await opened(empty.dsn);
    await empty.drop();
    const site = await freshDatabase(kind);
    await site.db.schema.createTable('recipes', (table) => void table.text('name'));
    await opened(site.dsn);
    await site.drop();
  });

  it('must not have the tables of another program only', async () => {
    const other = await emptyDatabase(kind);
    await other.db.schema.createTable('recipes', (table) => void table.text('name'));
    await other.db.schema.createTable('schema_migrations', (table) => void table.text('version'));
    await expectRefusal(opened(other.dsn), 'database_foreign', {
      params: { location: other.location, tables: ['recipes', 'schema_migrations'] },
    });
    await other.drop();
  });
});
