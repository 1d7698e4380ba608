/** The migration of a site that wrote archives of its log. */
import { afterEach, describe, expect, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { storedOptions } from '../../src/store/tables/options-table.ts';
import { databases, emptyDatabase, type FreshDatabase } from '../support/databases.ts';

const BEFORE = migrations.filter(({ name }) => name < '20261128-0000');

describe.each(databases)('a $kind database with a retention', ({ kind }) => {
  let database: FreshDatabase;
  afterEach(() => database.drop());

  it.each([
    ['is kept without archives', 'false', '30'],
    ['ends with archives, so that nothing is deleted without a file', 'true', undefined],
  ])('%s', async (_, archives, expected) => {
    database = await emptyDatabase(kind);
    await migrate(database, BEFORE);
    await database.db('options').insert([
      { key: 'LogArchiveEnabled', value: archives },
      { key: 'LogRetentionDays', value: '30' },
    ]);
    await migrate(database);
    const stored = await storedOptions(database.db);
    expect(stored.get('LogRetentionDays')).toBe(expected);
    expect(stored.has('LogArchiveEnabled')).toBe(false);
  });
});
