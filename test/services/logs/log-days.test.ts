/**
 * Sums over several columns must equal those of the entries, whichever days have totals. Compared
 * with adding up the entries, for seeded random filters and ranges.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aggregateLogs } from '../../../src/services/logs/hourly-aggregates.ts';
import { summarizeDays } from '../../../src/services/logs/log-days.ts';
import type { LogFilter } from '../../../src/store/logs/log-filter.ts';
import { pageOfLogs } from '../../../src/store/logs/log-pages.ts';
import type { LogRow } from '../../../src/store/logs/log-row.ts';
import { sumOfLogs, sumsOfLogs } from '../../../src/store/logs/log-stats.ts';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { seededRandom } from '../../support/random.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { aggregateAll, anEntry, DAY, HOUR, NOON, writeEntries } from './log-entries.ts';
import { admits, BREAKDOWNS, sumOf, sumsBy } from './log-sums.ts';

const ENTRIES = 500;
const DAYS = 5;
const MIDNIGHT = NOON - 12 * HOUR;
const TABLES = ['logs', 'log_hours', 'log_progress', 'log_days', 'log_combinations'];
const STATES = 'log_day_states';

type Draw = (below: number) => number;

const MODELS = ['gpt-4o', 'gpt-4o-mini', 'o3', 'GPT-x'];
/** Names that would be ambiguous without a separator. */
const TOKENS = ['a', 'a b', ' b', ''];

function drawEntry(draw: Draw, at: number): LogRow {
  const user = 1 + draw(3);
  const type = [2, 2, 2, 1, 3, 4, 6, 7][draw(8)] ?? 2;
  const tokens = type === 7 ? 1 : 100;
  return anEntry({
    request_id: `r${at}`,
    user_id: user,
    username: `user${user}`,
    created_at: NOON - draw(DAYS * DAY),
    type,
    token_name: TOKENS[draw(4)] ?? '',
    model_name: MODELS[draw(4)] ?? '',
    channel_id: 1 + draw(3),
    group: draw(10) === 0 ? 'vip' : 'default',
    client_ip: draw(4) === 0 ? '10.0.0.1' : '',
    quota: draw(1000),
    cost: type === 2 && draw(3) > 0 ? draw(900) : null,
    prompt_tokens: draw(tokens),
    completion_tokens: draw(tokens),
  });
}

function drawFilter(draw: Draw): LogFilter {
  const some = <T>(value: T) => (draw(2) === 0 ? undefined : value);
  const sinceSec = NOON - draw(DAYS * DAY);
  const range = [
    {},
    { sinceSec },
    { untilSec: NOON - draw(DAYS * DAY) },
    { sinceSec, untilSec: sinceSec + draw(DAYS * DAY) },
    { sinceSec: MIDNIGHT - 3 * DAY, untilSec: MIDNIGHT - 1 },
  ];
  return {
    type: some(([1, 2, 3, 4, 5, 6, 7, 'spend', 'spend'] as const)[draw(9)]),
    userId: some(1 + draw(3)),
    tokenName: some(TOKENS[draw(3)]),
    modelName: some([...MODELS, 'gpt*', '*4o*'][draw(6)]),
    channelId: some(1 + draw(3)),
    channelIds: some([1, 3]),
    group: some(['vip', 'default'][draw(2)]),
    clientIp: draw(8) === 0 ? '10.0.0.1' : undefined,
    requestId: draw(20) === 0 ? 'r7' : undefined,
    ...range[draw(range.length)],
  };
}

describe.each(databases)('daily log totals on $kind', async ({ kind }) => {
  let entries: LogRow[];
  const random = seededRandom(20_261_121);
  const draw: Draw = (below) => Math.floor(random() * below);

  const site = await sharedLocalSite(kind);
  beforeEach(async () => {
    await site.ctx.db('logs').delete();
    entries = Array.from({ length: ENTRIES }, (_, at) => drawEntry(draw, at));
    await writeEntries(site.ctx, entries);
    await aggregateAll(site);
  });
  afterEach(async () => {
    for (const table of [...TABLES, STATES, 'quota_data']) await site.ctx.db(table).delete();
  });

  async function add(entry: LogRow) {
    await writeEntries(site.ctx, [entry]);
    entries.push(entry);
  }

  async function check(filters: number) {
    for (let at = 0; at < filters; at += 1) {
      const filter = drawFilter(draw);
      const rows = entries.filter((row) => admits(filter, row));
      expect([filter, await sumOfLogs(site.ctx.reads, filter)]).toEqual([
        filter,
        sumOf(rows, filter),
      ]);
      const by = BREAKDOWNS[draw(5)] ?? 'model';
      const parts = await sumsOfLogs(site.ctx.reads, filter, by, 200);
      const found = Object.fromEntries(parts.map(({ key, ...sum }) => [key, sum]));
      expect([filter, by, found]).toEqual([filter, by, sumsBy(by, rows, filter)]);
      await checkPage(filter, rows);
    }
  }

  async function checkPage(filter: LogFilter, rows: readonly LogRow[]) {
    const newest = rows
      .map((row) => ({ row, at: entries.indexOf(row) }))
      .sort((a, b) => b.row.created_at - a.row.created_at || b.at - a.at)
      .map(({ row }) => row.request_id);
    const offset = draw(2) === 0 ? 0 : draw(newest.length + 2);
    const page = await pageOfLogs(site.ctx.reads, filter, { limit: 7, offset });
    expect([filter, offset, page.total, page.rows.map((row) => row.request_id)]).toEqual([
      filter,
      offset,
      newest.length,
      newest.slice(offset, offset + 7),
    ]);
  }

  const states = () =>
    site.ctx.db(STATES).orderBy('day').select<{ day: unknown; combined_lines: unknown }[]>();
  const standing = async () =>
    (await states()).filter((row) => Number(row.combined_lines) >= 0).map((row) => Number(row.day));
  const both: LogFilter = { channelId: 2, modelName: 'o3' };
  const ofBoth = () =>
    sumOf(
      entries.filter((row) => admits(both, row)),
      both,
    );

  it('are created for completed days', async () => {
    expect(await summarizeDays(site.ctx)).toBe(DAYS);
    expect(await standing()).toEqual([5, 4, 3, 2, 1].map((ago) => MIDNIGHT - ago * DAY));
    expect(await summarizeDays(site.ctx)).toBe(0);
    await check(20);
  });

  it('are the source of sums', async () => {
    await summarizeDays(site.ctx);
    const sums = ofBoth();
    // A direct write, to detect whether the entries are read.
    const span = [MIDNIGHT - 2 * DAY, MIDNIGHT - DAY - 1] as const;
    await site.ctx.db('logs').whereBetween('created_at', span).delete();
    expect(await sumOfLogs(site.ctx.reads, both)).toEqual(sums);
    await site.ctx.db(STATES).where({ day: span[0] }).update({ combined_lines: -1 });
    expect((await sumOfLogs(site.ctx.reads, both)).count).toBeLessThan(sums.count);
  });

  it('are updated and rebuilt for late entries', async () => {
    await summarizeDays(site.ctx);
    const late = { created_at: MIDNIGHT - 2 * DAY + 77, model_name: 'o3', channel_id: 2 };
    await add(anEntry({ ...late, request_id: 'late', quota: 12_345 }));
    await check(6);
    await aggregateAll(site);
    expect(await sumOfLogs(site.ctx.reads, both)).toEqual(ofBoth());
    await check(6);
    expect(await summarizeDays(site.ctx)).toBe(1);
    await check(6);
  });

  it('resume after an interruption', async () => {
    const cut = new AbortController();
    let written = 0;
    const seen = ({ sql }: { readonly sql: string }) => {
      if (/^insert into .log_combinations/i.test(sql)) written += 1;
      if (written === 6) cut.abort();
    };
    site.ctx.db.on('query', seen);
    await summarizeDays(site.ctx, { signal: cut.signal });
    site.ctx.db.off('query', seen);
    expect(written).toBe(6);
    expect((await standing()).length).toBeLessThan(DAYS);
    await check(5);
    await summarizeDays(site.ctx);
    expect(await standing()).toHaveLength(DAYS);
    await check(5);
  });

  it('are correct when several processes create them during aggregation', async () => {
    const work = [1, 2, 3].map(() => summarizeDays(site.ctx));
    for (let at = 0; at < 10; at += 1) await add(drawEntry(draw, ENTRIES + at));
    await Promise.all([...work, aggregateLogs(site.ctx)]);
    await aggregateAll(site);
    await check(5);
    await summarizeDays(site.ctx);
    expect(await standing()).toHaveLength(DAYS);
    const rows = await site.ctx
      .db('log_combinations')
      .select('kind')
      .sum({ n: 'lines' })
      .groupBy('kind');
    const over = entries.filter((row) => row.created_at < MIDNIGHT).length;
    expect(rows.map((row) => Number(row.n))).toEqual([over, over, over, over]);
    await check(20);
  });

  it('are removed with deleted entries, while the dashboard keeps its own', async () => {
    await summarizeDays(site.ctx);
    const query = {
      start_timestamp: NOON - DAYS * DAY,
      end_timestamp: NOON,
      step: 'day' as const,
    };
    const overview = await site.as(OPERATOR).data.overview(query);
    const before = MIDNIGHT - 2 * DAY - 1234;
    await site.as(OPERATOR).log.clear({ before });
    await site.ctx.db('logs').where({ request_id: '' }).delete();
    entries = entries.filter((row) => row.created_at >= before);
    await check(6);
    await summarizeDays(site.ctx);
    expect(await standing()).toEqual([MIDNIGHT - 2 * DAY, MIDNIGHT - DAY]);
    const left = await site.ctx.db('log_combinations').min({ day: 'day' }).first();
    expect(Number(left?.day)).toBe(MIDNIGHT - 2 * DAY);
    await check(6);
    expect(await site.as(OPERATOR).data.overview(query)).toEqual(overview);
  });

  it('provide the hourly overview for any period', async () => {
    const spans = Array.from({ length: 6 }, () => {
      const start_timestamp = NOON - draw(DAYS * DAY);
      const end_timestamp = Math.min(NOON, start_timestamp + draw(DAYS * DAY));
      return { start_timestamp, end_timestamp, step: 'day' as const };
    });
    const overviews = () => Promise.all(spans.map((span) => site.as(OPERATOR).data.overview(span)));
    const ofHours = await overviews();
    await summarizeDays(site.ctx);
    expect(await overviews()).toEqual(ofHours);
    // Ensures that the compared values come from the daily totals.
    await site.ctx.db('log_days').update({ quota: 0 });
    expect(await overviews()).not.toEqual(ofHours);
  });
});
