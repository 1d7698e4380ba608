/** The migrations that add costs to a database in use. */
import { describe, expect, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { detachPartition, partitionsOf } from '../../src/store/logs/log-partitions.ts';
import { logsFrom } from '../../src/store/logs/log-rows.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { anEntry, NOON } from '../services/logs/log-entries.ts';
import { databases, emptyDatabase, type FreshDatabase } from '../support/databases.ts';
import { ownDatabase } from '../support/shared-site.ts';

const BEFORE = migrations.filter(({ name }) => name < '20261123-1100');
const NOTHING = { first: async () => undefined, last: async () => undefined };
const HOUR = { scope: 'site', subject: '', hour: 0, type: 2, lines: 1, quota: 5 };

describe.each(databases)('a $kind database of a version without costs', ({ kind }) => {
  async function ofBefore(): Promise<FreshDatabase> {
    const database = await ownDatabase(emptyDatabase(kind));
    await migrate(database, BEFORE);
    const { cost: _, ...entry } = anEntry({ quota: 5 });
    await database.db('logs').insert(entry);
    return database;
  }

  const first = { createdAtSec: -1, id: 0 };

  it('keeps its entries, whose costs are unknown, and takes new ones', async () => {
    const database = await ofBefore();
    const { db } = database;
    const texts = { latency: '', first_token: '', statuses: '' };
    await db('log_hours').insert({ ...HOUR, ...texts });
    await db('channels').insert({ name: 'old', type: 1 });
    await migrate(database);
    expect(await migrate(database)).toEqual([]);
    await db('logs').insert(anEntry({ quota: 7, cost: 3, created_at: NOON + 1 }));
    const entries = await logsFrom(db, {}, first, 10);
    expect(entries.map(({ quota, cost }) => [quota, cost])).toEqual([
      [5, null],
      [7, 3],
    ]);
    const hour = await db('log_hours').first();
    expect([Number(hour.quota), Number(hour.cost), Number(hour.costed_quota)]).toEqual([5, 0, 0]);
    expect((await db('channels').first('cost')).cost).toBeNull();
  });

  // Only PostgreSQL divides the log into partitions.
  if (kind === 'postgres')
    it('can still read months that were taken out of the log', async () => {
      const database = await ofBefore();
      const { db } = database;
      if ((await partitionsOf(db)) === undefined) throw new Error('the log is not partitioned');
      const [month] = (await partitionsOf(db)) ?? [];
      const name = month?.name ?? '';
      expect(await detachPartition(db, name, NOTHING)).toBe(true);
      await migrate(database);
      await expect(logsFrom(db, {}, first, 10, name)).resolves.toEqual([]);
    });
});
