import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aggregateLogs } from '../../../src/services/logs/hourly-aggregates.ts';
import { prepareLog, retainLogs } from '../../../src/services/logs/log-clear.ts';
import { manifestsIn, writeArchive } from '../../../src/store/logs/log-archive.ts';
import { detachPartition } from '../../../src/store/logs/log-partitions.ts';
import { lastLogs } from '../../../src/store/logs/log-rows.ts';
import { databases } from '../../support/databases.ts';
import {
  type Clients,
  createLocalSite,
  type LocalSite,
  OPERATOR,
} from '../../support/local-site.ts';
import { anEntry, DAY, HOUR, NOON, writeEntries } from './log-entries.ts';

const DAYS = [120, 90, 60, 31, 30, 2, 0];
const times = DAYS.map((days) => NOON - days * DAY);

describe.each(databases)('removal of log entries on $kind', ({ kind }) => {
  let site: LocalSite;
  let api: Clients;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'gateway-archive-'));
    site = await createLocalSite(kind, { logArchive: folder });
    api = site.as(OPERATOR);
    await prepareLog(site.ctx);
  });
  beforeEach(async () => {
    for (const table of ['logs', 'log_hours', 'log_progress']) await site.ctx.db(table).delete();
    for (const name of await readdir(folder)) await rm(path.join(folder, name));
    await writeEntries(
      site.ctx,
      times.flatMap((created_at) =>
        ['a', 'b'].map((request_id) => anEntry({ request_id, created_at, quota: 1 })),
      ),
    );
  });
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true, force: true });
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

  it('archives entries to one file per day, which remain readable', async () => {
    expect(await api.log.archivePart({ before: NOON - 30 * DAY })).toEqual({
      archived: 8,
      is_done: true,
    });
    expect(await daysLeft()).toEqual([30, 2, 0]);
    const archives = await api.log.archives({ verify: true });
    expect(
      archives.map(({ file, rows, is_complete, is_sound }) => [file, rows, is_complete, is_sound]),
    ).toEqual([
      ['logs-2026-07-24.ndjson.gz', 2, true, true],
      ['logs-2026-08-23.ndjson.gz', 2, true, true],
      ['logs-2026-09-22.ndjson.gz', 2, true, true],
      ['logs-2026-10-21.ndjson.gz', 2, true, true],
    ]);
    const newest = await api.log.archived({ limit: 3 });
    expect(newest.map((entry) => [entry.request_id, entry.created_at])).toEqual([
      ['b', times[3]],
      ['a', times[3]],
      ['b', times[2]],
    ]);
    const some = await api.log.archived({ request_id: 'a', until: times[1], model_name: 'GPT*' });
    expect(some.map((entry) => entry.created_at)).toEqual([times[1], times[0]]);
    let text = '';
    for await (const piece of await api.log.exportArchived({ since: times[2] })) text += piece;
    const entries = text
      .trim()
      .split('\n')
      .map((entry) => JSON.parse(entry));
    expect(entries.map((entry) => entry.created_at)).toEqual([
      times[2],
      times[2],
      times[3],
      times[3],
    ]);
    await settle();
    expect(await counted()).toBe(14);
  });

  it('archives automatically after the configured days', async () => {
    await api.option.set({ key: 'LogRetentionDays', value: 60 });
    await api.option.set({ key: 'LogArchiveEnabled', value: true });
    // Whole days only: the sixtieth is not over.
    expect(await retainLogs(site.ctx)).toBe(4);
    expect(await retainLogs(site.ctx)).toBe(0);
    expect((await manifestsIn(folder)).map(({ rows }) => rows)).toEqual([2, 2]);
  });

  it('archives entries once, even if the process was killed', async () => {
    const before = NOON - 90 * DAY + HOUR;
    const entries = await lastLogs(site.ctx.reads, { untilSec: times[0] }, 10);
    await writeFile(path.join(folder, '.cut.part'), 'half');
    await writeFile(path.join(folder, 'logs-2026-08-23.ndjson.gz'), 'without a manifest');
    // Killed after the first file, before its entries were deleted.
    await writeArchive(
      folder,
      times[0] ?? 0,
      (async function* () {
        yield entries;
      })(),
    );
    const { archived } = await api.log.archivePart({ before: before + DAY });
    expect(archived).toBe(4);
    expect(
      (await api.log.archives({ verify: true })).map((one) => [one.rows, one.is_sound]),
    ).toEqual([
      [2, true],
      [2, true],
    ]);
    expect(await api.log.archived({ limit: 100 })).toHaveLength(4);
  });

  it('writes late entries to a file of their own', async () => {
    await api.log.archivePart({ before: NOON - 100 * DAY });
    await writeEntries(site.ctx, [anEntry({ request_id: 'late', created_at: times[0] ?? 0 })]);
    await api.log.archivePart({ before: NOON - 100 * DAY });
    const files = (await manifestsIn(folder)).map(({ file }) => file);
    expect(files).toEqual(['logs-2026-07-24-2.ndjson.gz', 'logs-2026-07-24.ndjson.gz']);
    expect(await api.log.archived({ request_id: 'late' })).toHaveLength(1);
  });

  it('reports a damaged archive file', async () => {
    await api.log.archivePart({ before: NOON - 100 * DAY });
    const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.gz'));
    const bytes = await readFile(path.join(folder, file));
    await writeFile(path.join(folder, file), bytes.subarray(0, -12));
    expect((await api.log.archives({ verify: true }))[0]?.is_sound).toBe(false);
    await expect(api.log.archived({})).rejects.toMatchObject({
      code: 'archive_unreadable',
      params: { file },
    });
  });

  if (kind !== 'postgres') return; // the following concerns partitions

  it('deletes entries of a detached month only when they are included', async () => {
    const nothing = { first: async () => undefined, last: async () => undefined };
    expect(await detachPartition(site.ctx.db, 'logs_before', nothing)).toBe(true);
    const early = await api.log.archivePart({ before: NOON - 100 * DAY });
    expect(early).toEqual({ archived: 2, is_done: true });
    expect(await site.ctx.db('logs_before').select('id')).toHaveLength(8);
    expect(await api.log.clear({ before: NOON - 60 * DAY })).toBe(0);
    expect(await api.log.clear({ before: NOON - 29 * DAY })).toBe(8);
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
