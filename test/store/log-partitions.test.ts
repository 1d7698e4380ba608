import { describe, expect, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { monthOf, monthsAfter } from '../../src/domain/logs/months.ts';
import {
  addPartitions,
  detachedPartitions,
  detachPartition,
  dropStaleCheck,
  partitionLog,
  partitionsOf,
} from '../../src/store/logs/log-partitions.ts';
import type { LogRow } from '../../src/store/logs/log-row.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { anEntry } from '../services/logs/log-entries.ts';
import {
  databases,
  emptyDatabase,
  type FreshDatabase,
  freshDatabase,
} from '../support/databases.ts';
import { ownDatabase } from '../support/shared-site.ts';

const NOW = Date.UTC(2026, 10, 21, 12) / 1000;
/** Also for the schema of before costs. */
function withoutCost({ cost: _, ...entry }: LogRow) {
  return entry;
}

const NOTHING = { first: async () => undefined, last: async () => undefined };

const hasPostgres = databases.some(({ kind }) => kind === 'postgres');

describe.skipIf(!hasPostgres)('the log on PostgreSQL', () => {
  const write = (database: FreshDatabase, times: readonly number[]) =>
    database.db('logs').insert(times.map((created_at) => withoutCost(anEntry({ created_at }))));
  const places = async (database: FreshDatabase) => {
    const { rows } = await database.db.raw(
      'select tableoid::regclass::text as place, count(*)::int as entries from logs group by 1',
    );
    return Object.fromEntries(
      rows.map(({ place, entries }: { place: string; entries: number }) => [place, entries]),
    );
  };

  it('has a partition for this month and the next two, and a default for other times', async () => {
    const database = await ownDatabase(freshDatabase('postgres'));
    expect(await addPartitions(database.db, NOW)).toBe(3);
    expect(await addPartitions(database.db, NOW)).toBe(0);
    await write(database, [0, NOW, monthsAfter(NOW, 1), monthsAfter(NOW, 40)]);
    expect(await places(database)).toEqual({
      logs_before: 1,
      logs_p202611: 1,
      logs_p202612: 1,
      logs_other: 1,
    });
    const names = (await partitionsOf(database.db))?.map(({ name }) => name);
    expect(names).toEqual(['logs_before', 'logs_p202611', 'logs_p202612', 'logs_p202701']);
  });

  it('stores entries in a month whose partition was created late', async () => {
    const database = await ownDatabase(freshDatabase('postgres'));
    await addPartitions(database.db, NOW);
    await write(database, [monthsAfter(NOW, 3), monthsAfter(NOW, 4)]);
    await addPartitions(database.db, monthsAfter(NOW, 1));
    expect(await places(database)).toEqual({ logs_p202702: 1, logs_other: 1 });
  });

  it('is partitioned while entries are written, and loses none', async () => {
    const database = await ownDatabase(emptyDatabase('postgres'));
    await migrate(
      database,
      migrations.filter(({ name }) => name < '20261121-1522'),
    );
    await write(database, [NOW - 90 * 86_400, NOW]);
    await migrate(database);
    expect(await partitionsOf(database.db)).toBeUndefined();
    let isOver = false;
    let written = 2;
    const writer = (async () => {
      while (!isOver) {
        await write(database, [NOW + written]);
        written += 1;
      }
    })();
    expect(await partitionLog(database.db, NOW)).toBe(true);
    isOver = true;
    await writer;
    expect(await partitionLog(database.db, NOW)).toBe(false);
    await write(database, [monthsAfter(NOW, 30)]);
    expect(await places(database)).toEqual({ logs_before: written, logs_other: 1 });
    const ids = await database.db('logs').orderBy('id').pluck('id');
    expect(ids).toEqual(Array.from({ length: written + 1 }, (_, index) => index + 1));
    const indexes = await database.db('pg_indexes').where({ tablename: 'logs' }).pluck('indexname');
    expect(indexes).toContain('logs_id_index');
    expect(indexes).toContain('logs_token_name_created_at_index');
    const { rows } = await database.db.raw(
      "select count(*)::int as n from pg_index where not indisvalid or indrelid = 'logs_before'::regclass",
    );
    // The primary key and one index for each of the log's own: none was built twice.
    expect(rows[0].n).toBe(indexes.length + 1);
  });

  it('refuses no entry because of a preparation interrupted long ago', async () => {
    const database = await ownDatabase(emptyDatabase('postgres'));
    await migrate(
      database,
      migrations.filter(({ name }) => name < '20261121-1522'),
    );
    await write(database, [NOW]);
    await migrate(database);
    await database.db.raw(
      `alter table logs add constraint logs_before_check check (created_at < ${monthsAfter(NOW, 3)}) not valid`,
    );
    await dropStaleCheck(database.db, NOW);
    const later = monthsAfter(NOW, 3);
    await expect(write(database, [later])).rejects.toThrow(/logs_before_check/);
    await dropStaleCheck(database.db, later - 86_400);
    await write(database, [later]);
    expect(await partitionLog(database.db, later)).toBe(true);
  });

  it('detaches a month as a separate table, once', async () => {
    const database = await ownDatabase(freshDatabase('postgres'));
    await addPartitions(database.db, NOW);
    await write(database, [monthOf(NOW), NOW + 86_400 * 20]);
    expect(await detachPartition(database.db, 'logs_p202611', NOTHING)).toBe(true);
    expect(await detachPartition(database.db, 'logs_p202611', NOTHING)).toBe(false);
    expect(await detachedPartitions(database.db)).toEqual(['logs_p202611']);
    expect(await places(database)).toEqual({ logs_p202612: 1 });
    expect(await database.db('logs_p202611').pluck('created_at')).toEqual([monthOf(NOW)]);
  });

  it('waits for a long reader only briefly at a time', async () => {
    const database = await ownDatabase(freshDatabase('postgres'));
    await addPartitions(database.db, NOW);
    const reader = await database.db.transaction();
    await reader('logs').first('id');
    const detached = detachPartition(database.db, 'logs_before', NOTHING);
    for (let entry = 0; entry < 5; entry += 1) await write(database, [NOW]);
    expect(await detachedPartitions(database.db)).toEqual([]);
    await reader.commit();
    expect(await detached).toBe(true);
  });
});
