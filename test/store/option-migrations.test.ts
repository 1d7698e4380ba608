/** Migrations of options whose values are no longer known. */
import { afterEach, describe, expect, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { storedOptions } from '../../src/store/tables/options-table.ts';
import { databases, emptyDatabase, type FreshDatabase } from '../support/databases.ts';

const BEFORE = migrations.filter(({ name }) => name < '20261128-0000');

describe.each(databases)('options of an earlier version on $kind', ({ kind }) => {
  let database: FreshDatabase;
  afterEach(() => database.drop());

  it.each([
    ['without archives keep their retention', 'false', '30', 'litellm', 'models.dev'],
    [
      'with archives lose it, as no file has what it deletes',
      'true',
      undefined,
      'openrouter',
      'openrouter',
    ],
  ])('%s, and name a known price list', async (_, archives, retention, source, list) => {
    database = await emptyDatabase(kind);
    await migrate(database, BEFORE);
    await database.db('options').insert([
      { key: 'LogArchiveEnabled', value: archives },
      { key: 'LogRetentionDays', value: '30' },
      { key: 'PriceSourceUrl', value: source },
    ]);
    await migrate(database);
    const stored = await storedOptions(database.db);
    expect(stored.get('LogRetentionDays')).toBe(retention);
    expect(stored.has('LogArchiveEnabled')).toBe(false);
    expect(stored.get('PriceSourceUrl')).toBe(list);
  });
});
