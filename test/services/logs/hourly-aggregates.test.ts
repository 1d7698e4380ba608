import { afterEach, describe, expect, it } from 'vitest';
import { readCounts, type ValueCounts } from '../../../src/domain/logs/histogram.ts';
import { LogFigures } from '../../../src/domain/logs/log-hours.ts';
import { aggregateLogs, countNewEntries } from '../../../src/services/logs/hourly-aggregates.ts';
import { retainLogs } from '../../../src/services/logs/log-clear.ts';
import type { LogRow } from '../../../src/store/logs/log-row.ts';
import type { Row } from '../../../src/store/sql/sql-dialect.ts';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { anEntry, DAY, HOUR, NOON, writeEntries } from './log-entries.ts';

const SETTLED = 61;

/** Every type, names alike except for case, unknown costs, and durations at ends of buckets. */
function mixedEntry(at: number): LogRow {
  const durations = [0, 1, 2, 3, 1023, 1024, 1025, 2048, 123_456];
  const others = [
    '',
    `{"cache_tokens":${at},"note":"\\"cache_tokens\\":7"}`,
    '{"cache_tokens":null,"status_code":429}',
    `{"status_code":${400 + (at % 3)}5}`,
    `{"padding":"${'x'.repeat(1_000)}","cache_tokens":9}`,
  ];
  return anEntry({
    user_id: at % 7,
    username: `user${at % 7}`,
    created_at: NOON + (at % 3) * HOUR + (at % 2),
    type: [2, 2, 6, 7, 3, 2][at % 6] ?? 2,
    token_name: ['a', 'A', 'b:1,c', ''][at % 4] ?? '',
    model_name: ['gpt-4o', 'GPT-4o', 'o3'][at % 3] ?? '',
    channel_id: at % 2,
    group: ['default', 'vip'][at % 2] ?? '',
    quota: at,
    cost: at % 4 === 0 ? null : at * 3,
    prompt_tokens: at % 100,
    completion_tokens: at % 50,
    use_time: at % 5,
    use_time_ms: durations[at % 9] ?? 0,
    first_token_ms: durations[at % 8] ?? 0,
    other: others[at % 5] ?? '',
  });
}

/** A stored or computed cell with its numbers as numbers and its histograms sorted. */
function comparable(cell: object): Row {
  const counts = (value: unknown): string => {
    const pairs = typeof value === 'string' ? readCounts(value) : (value as ValueCounts);
    return [...pairs].sort(([a], [b]) => a - b).join(' ');
  };
  const isText = (name: string) => ['scope', 'subject'].includes(name);
  const isHistogram = (name: string) => ['latency', 'first_token', 'statuses'].includes(name);
  return Object.fromEntries(
    Object.entries(cell).map(([name, value]) => [
      name,
      isText(name) ? value : isHistogram(name) ? counts(value) : Number(value),
    ]),
  );
}

function byKey(cells: readonly Row[]): Record<string, Row> {
  return Object.fromEntries(
    cells.map((cell) => [`${cell.scope} ${cell.subject} ${cell.hour} ${cell.type}`, cell]),
  );
}

describe.each(databases)('log aggregation on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  afterEach(async () => {
    for (const table of ['logs', 'log_hours', 'log_progress', 'quota_data'])
      await site.ctx.db(table).delete();
    await site.as(OPERATOR).option.set({ key: 'DataExportEnabled', value: true });
    await site.as(OPERATOR).option.set({ key: 'LogRetentionDays', value: 0 });
    await site.ctx.db('logs').delete();
  });

  /** Aggregates until everything written is counted; returns the number of entries. */
  async function count(): Promise<number> {
    let counted = await aggregateLogs(site.ctx);
    for (let run = 0; run < 2 && kind !== 'sqlite'; run += 1) {
      site.pass(SETTLED);
      counted += await aggregateLogs(site.ctx);
    }
    return counted;
  }

  async function linesCounted(): Promise<number> {
    const row = await site.ctx
      .db('log_hours')
      .where({ scope: 'site' })
      .sum({ lines: 'lines' })
      .first();
    return Number(row?.lines);
  }

  const usage = () =>
    site.ctx
      .db('quota_data')
      .orderBy(['created_at', 'model_name'])
      .select('user_id', 'username', 'model_name', 'created_at', 'token_used', 'count', 'quota');

  it('sums up consumption per user, model and hour', async () => {
    const tokens = { prompt_tokens: 10, completion_tokens: 5 };
    await writeEntries(site.ctx, [
      anEntry({ ...tokens, quota: 7 }),
      anEntry({ ...tokens, quota: 8, created_at: NOON + HOUR - 1 }),
      anEntry({ ...tokens, quota: 1, created_at: NOON + HOUR }),
      anEntry({ ...tokens, quota: 2, model_name: 'o3' }),
      anEntry({ type: 6 }),
      anEntry({ type: 1, quota: 500 }),
    ]);
    expect(await count()).toBe(6);
    const ann = { user_id: 1, username: 'ann' };
    expect(await usage()).toEqual([
      { ...ann, model_name: 'gpt-4o', created_at: NOON, token_used: 30, count: 2, quota: 15 },
      { ...ann, model_name: 'o3', created_at: NOON, token_used: 15, count: 1, quota: 2 },
      { ...ann, model_name: 'gpt-4o', created_at: NOON + HOUR, token_used: 15, count: 1, quota: 1 },
    ]);
  });

  it('counts each entry once, however often and concurrently it runs', async () => {
    const entries = Array.from({ length: 1700 }, (_, at) => anEntry({ quota: 1, user_id: at % 9 }));
    await writeEntries(site.ctx, entries);
    for (let run = 0; run < 3; run += 1) {
      await Promise.all(Array.from({ length: 6 }, () => aggregateLogs(site.ctx)));
      site.pass(SETTLED);
    }
    await writeEntries(site.ctx, entries.slice(0, 50));
    await count();
    await count();
    expect(await linesCounted()).toBe(1750);
    const [sum] = await site.ctx.db('quota_data').sum({ quota: 'quota' });
    expect(Number(sum?.quota)).toBe(1750);
  });

  it('counts all entries written meanwhile', async () => {
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let part = 0; part < 10; part += 1)
        await writeEntries(
          site.ctx,
          Array.from({ length: 7 }, () => anEntry({ user_id: writer })),
        );
    });
    const counters = Array.from({ length: 3 }, async () => {
      for (let run = 0; run < 10; run += 1) await aggregateLogs(site.ctx);
    });
    await Promise.all([...writers, ...counters]);
    await count();
    expect(await linesCounted()).toBe(8 * 10 * 7);
  });

  // SQLite has one writer: a transaction cannot end later than one that began after it.
  if (kind !== 'sqlite')
    it('does not miss an entry whose transaction ends late', async () => {
      await writeEntries(site.ctx, [anEntry()]);
      const late = await site.ctx.db.transaction();
      await late('logs').insert(anEntry({ model_name: 'late' }));
      await writeEntries(site.ctx, [anEntry()]);
      await aggregateLogs(site.ctx);
      site.pass(SETTLED - 30);
      expect(await aggregateLogs(site.ctx)).toBe(0);
      await late.commit();
      await count();
      expect(await linesCounted()).toBe(3);
    });

  it('includes durations, first-token times and failures', async () => {
    const failed = JSON.stringify({ error_type: 'upstream_error', status_code: 429 });
    await writeEntries(site.ctx, [
      anEntry({ use_time_ms: 1000, first_token_ms: 100, other: '{"cache_tokens":12}' }),
      anEntry({ use_time_ms: 0, use_time: 1, first_token_ms: 0 }),
      anEntry({ type: 6, other: failed }),
    ]);
    await count();
    const rows = await site.ctx.db('log_hours').where({ scope: 'channel' }).orderBy('type');
    expect(rows).toMatchObject([
      { type: 2, lines: 2, cache_tokens: 12, latency: '80:2', first_token: '54:1', statuses: '' },
      { type: 6, lines: 1, latency: '', statuses: '429:1' },
    ]);
  });

  it('counts many entries like few, in each column', async () => {
    const entries = Array.from({ length: 2_600 }, (_, at) => mixedEntry(at));
    await writeEntries(site.ctx, entries.slice(0, 1_300));
    await count();
    await writeEntries(site.ctx, entries.slice(1_300));
    const progress: number[][] = [];
    const report = (done: number, total: number) => void progress.push([done, total]);
    for (let run = 0; run < 3; run += 1) {
      await aggregateLogs(site.ctx, { report });
      site.pass(SETTLED);
    }
    const [done = 0, total] = progress.at(-1) ?? [];
    expect(done).toBeGreaterThanOrEqual(1_300); // by ids, of which some are unused
    expect(done).toBe(total);
    const expected = new LogFigures().add(
      entries.map(({ other, ...entry }) => ({ ...entry, other_head: other.slice(0, 1_000) })),
    );
    const rows: Row[] = await site.ctx.db('log_hours').select();
    expect(byKey(rows.map(comparable))).toEqual(byKey(expected.hours().map(comparable)));
    const usages: Row[] = await usage();
    const key = ({ user_id, created_at, model_name }: Row) =>
      `${user_id} ${created_at} ${model_name}`;
    const sorted = (all: readonly object[]) =>
      all.map((row) => ({ ...row })).sort((a, b) => key(a).localeCompare(key(b)));
    expect(sorted(usages)).toEqual(sorted(expected.usage()));
  });

  it('collects no usage while the dashboard is off, and still counts entries', async () => {
    await site.as(OPERATOR).option.set({ key: 'DataExportEnabled', value: false });
    await site.ctx.db('logs').delete();
    await writeEntries(site.ctx, [anEntry()]);
    await count();
    expect(await usage()).toEqual([]);
    expect(await linesCounted()).toBe(1);
  });

  it('runs before a read when many entries are uncounted', async () => {
    await writeEntries(
      site.ctx,
      Array.from({ length: 2100 }, () => anEntry()),
    );
    await countNewEntries(site.ctx);
    site.pass(SETTLED);
    await countNewEntries(site.ctx);
    expect(await linesCounted()).toBe(2100);
  });

  it('keeps the totals of deleted entries, whether they were counted or not', async () => {
    const old = { created_at: NOON - 3 * DAY, quota: 5 };
    await writeEntries(site.ctx, [anEntry(old), anEntry(old), anEntry({ quota: 1 })]);
    await count();
    await writeEntries(site.ctx, [anEntry(old)]);
    await site.as(OPERATOR).option.set({ key: 'LogRetentionDays', value: 2 });
    expect(await retainLogs(site.ctx)).toBe(3);
    await count();
    const [before] = await usage();
    expect(before).toMatchObject({ count: 3, quota: 15 });
    expect(await retainLogs(site.ctx)).toBe(0);
  });

  it('keeps all entries as long as no retention is set', async () => {
    await writeEntries(site.ctx, [anEntry({ created_at: 1 })]);
    expect(await retainLogs(site.ctx)).toBe(0);
  });

  it('can run beside deletion without losing or doubling an entry', async () => {
    const entries = Array.from({ length: 3000 }, (_, at) =>
      anEntry({ created_at: NOON - 9 * DAY, user_id: at % 5 }),
    );
    await writeEntries(site.ctx, entries);
    await site.as(OPERATOR).option.set({ key: 'LogRetentionDays', value: 2 });
    const deleted = await Promise.all([
      retainLogs(site.ctx),
      aggregateLogs(site.ctx),
      retainLogs(site.ctx),
      aggregateLogs(site.ctx),
    ]);
    expect((deleted[0] ?? 0) + (deleted[2] ?? 0)).toBe(3000);
    await count();
    const old = await site.ctx
      .db('log_hours')
      .where({ scope: 'site' })
      .where('hour', '<', NOON - DAY)
      .sum({ lines: 'lines' })
      .first();
    expect(Number(old?.lines)).toBe(3000);
  });
});
