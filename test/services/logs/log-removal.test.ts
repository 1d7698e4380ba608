import { beforeEach, describe, expect, it } from 'vitest';
import { aggregateLogs } from '../../../src/services/logs/hourly-aggregates.ts';
import { prepareLog, retainLogs } from '../../../src/services/logs/log-clear.ts';
import { detachPartition } from '../../../src/store/logs/log-partitions.ts';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { anEntry, DAY, NOON, writeEntries } from './log-entries.ts';

const DAYS = [120, 90, 60, 31, 30, 2, 0];
const times = DAYS.map((days) => NOON - days * DAY);

describe.each(databases)('removal of log entries on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const api = site.as(OPERATOR);
  await prepareLog(site.ctx);
  beforeEach(async () => {
    for (const table of ['logs', 'log_hours', 'log_progress']) await site.ctx.db(table).delete();
    await writeEntries(
      site.ctx,
      times.flatMap((created_at) =>
        ['a', 'b'].map((request_id) => anEntry({ request_id, created_at, quota: 1 })),
      ),
    );
  });

  const daysLeft = async () => {
    const kept = await site.ctx.db('logs').where({ type: 2 }).orderBy('created_at');
    return [...new Set(kept.map((entry) => Math.round((NOON - Number(entry.created_at)) / DAY)))];
  };
  const counted = async () => {
    const [row] = await site.ctx
      .db('log_hours')
      .where({ scope: 'site', type: 2 })
      .sum({ n: 'lines' });
    return Number(row?.n);
  };
  const settle = async () => {
    for (let run = 0; run < 3; run += 1) {
      await aggregateLogs(site.ctx);
      site.pass(61);
    }
  };

  it('deletes whole months and batches alike, and keeps the totals', async () => {
    expect(await api.log.clear({ before: NOON - 30 * DAY })).toBe(8);
    expect(await daysLeft()).toEqual([30, 2, 0]);
    expect((await api.log.stat({})).count).toBe(6);
    await settle();
    expect(await counted()).toBe(14);
    if (kind === 'postgres') {
      const { rows } = await site.ctx.db.raw("select to_regclass('logs_before') as gone");
      // The month is kept if its newest entry may be kept.
      expect(rows[0].gone).not.toBeNull();
    }
  });

  it('continues part by part on repeated requests', async () => {
    const part = await api.log.clearPart({ before: NOON - 30 * DAY });
    expect(part).toEqual({ deleted: 8, is_done: true });
    expect(await api.log.clearPart({ before: NOON - 30 * DAY })).toEqual({
      deleted: 0,
      is_done: true,
    });
    const notes = await site.ctx.db('logs').where({ type: 3 }).where('content', 'like', '%deleted');
    expect(notes).toHaveLength(1);
  });

  it('deletes automatically after the configured days', async () => {
    await api.option.set({ key: 'LogRetentionDays', value: 61 });
    expect(await retainLogs(site.ctx)).toBe(4);
    expect(await retainLogs(site.ctx)).toBe(0);
    await settle();
    expect(await counted()).toBe(14);
  });

  it('deletes several batches, also of one second, and keeps what is newer', async () => {
    const first = NOON - 50 * DAY;
    const times = Array.from({ length: 2_100 }, (_, at) => first + Math.max(0, at - 1_500));
    await writeEntries(
      site.ctx,
      times.map((created_at) => anEntry({ created_at })),
    );
    expect(await api.log.clear({ before: NOON - 30 * DAY })).toBe(8 + times.length);
    expect(await daysLeft()).toEqual([30, 2, 0]);
    await settle();
    expect(await counted()).toBe(14 + times.length);
  });

  if (kind !== 'postgres') return; // the following concerns partitions

  it('deletes entries of a detached month only when they are included', async () => {
    const nothing = { first: async () => undefined, last: async () => undefined };
    expect(await detachPartition(site.ctx.db, 'logs_before', nothing)).toBe(true);
    expect(await api.log.clear({ before: NOON - 100 * DAY })).toBe(0);
    expect(await site.ctx.db('logs_before').select('id')).toHaveLength(10);
    expect(await api.log.clear({ before: NOON - 60 * DAY })).toBe(0);
    expect(await api.log.clear({ before: NOON - 29 * DAY })).toBe(10);
    expect(await daysLeft()).toEqual([2, 0]);
  });

  it('removes a month when all of it is old enough', async () => {
    await settle();
    site.pass(70 * DAY);
    expect(await api.log.clear({ before: NOON + 60 * DAY })).toBe(14);
    const { rows } = await site.ctx.db.raw(
      "select relname from pg_class where relname in ('logs_before', 'logs_p202611')",
    );
    expect(rows).toEqual([]);
    expect(await counted()).toBe(14);
    await writeEntries(site.ctx, [anEntry({ created_at: NOON - 400 * DAY })]);
  });
});
