/** Days of zones that begin within an hour of UTC, and days of 23 and 25 hours, against the entries. */
import { describe, expect, it } from 'vitest';
import { aggregateLogs } from '../../src/services/logs/hourly-aggregates.ts';
import { databases } from '../support/databases.ts';
import { OPERATOR } from '../support/local-site.ts';
import { sharedLocalSite } from '../support/shared-site.ts';
import { anEntry, DAY, writeEntries } from './logs/log-entries.ts';

const sec = (text: string) => Date.parse(text) / 1000;
/** Local midnight of the first day, and the end of the last one. */
const RANGES = [
  ['Asia/Kolkata', sec('2026-11-01T00:00+05:30'), sec('2026-11-04T00:00+05:30')],
  ['Asia/Kathmandu', sec('2026-11-01T00:00+05:45'), sec('2026-11-04T00:00+05:45')],
  ['America/New_York', sec('2026-10-31T00:00-04:00'), sec('2026-11-03T00:00-05:00')],
  ['America/New_York', sec('2026-03-07T00:00-05:00'), sec('2026-03-10T00:00-04:00')],
] as const;

/** Calls at uneven minutes, so that each part of an hour has some. */
const EVERY_SEC = 23 * 60;
const SPANS = [
  ['2026-03-03', '2026-03-12'],
  ['2026-10-27', '2026-11-06'],
] as const;
const entries = SPANS.flatMap(([first, last]) => {
  const fromSec = sec(`${first}T00:00Z`);
  const count = Math.floor((sec(`${last}T00:00Z`) - fromSec) / EVERY_SEC);
  return Array.from({ length: count }, (_, at) => ({
    at: fromSec + at * EVERY_SEC,
    units: at + 1,
  }));
});

describe.each(databases)('days of a zone on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const ann = await site.aUser({ username: 'ann' });
  await site.ctx.db('logs').delete();
  const rows = entries.map(({ at, units }) =>
    anEntry({ user_id: ann.id, created_at: at, quota: units, prompt_tokens: 1 }),
  );
  await writeEntries(site.ctx, rows.slice(0, -100));
  for (const _run of [1, 2, 3]) {
    await aggregateLogs(site.ctx);
    site.pass(61);
  }
  await writeEntries(site.ctx, rows.slice(-100)); // not counted yet

  const sumIn = (fromSec: number, toSec: number) =>
    entries
      .filter(({ at }) => at >= fromSec && at < toSec)
      .reduce((sum, { units }) => sum + units, 0);
  const dayOf = (zone: string, at: number) =>
    new Date(at * 1000).toLocaleDateString('sv-SE', { timeZone: zone });
  const sumsPerDay = (
    zone: string,
    rows: readonly { readonly at: number; readonly units: number }[],
  ) => {
    const days: Record<string, number> = {};
    for (const { at, units } of rows) days[dayOf(zone, at)] = (days[dayOf(zone, at)] ?? 0) + units;
    return days;
  };

  it.each(RANGES)('counts each call to its day in %s from %d', async (zone, fromSec, toSec) => {
    const span = { start_timestamp: fromSec, end_timestamp: toSec - 1, time_zone: zone };
    const expected = sumsPerDay(
      zone,
      entries.filter(({ at }) => at >= fromSec && at < toSec),
    );
    expect(Object.keys(expected)).toHaveLength(3);
    const own = site.as(ann.actor).data;
    for (const overview of [
      await site.as(OPERATOR).data.overview({ ...span, step: 'day' }),
      await own.overviewOwn({ ...span, step: 'day' }),
    ]) {
      const { series, totals, previous, models, tokens } = overview;
      expect([overview.start, overview.end]).toEqual([fromSec, toSec]);
      const steps = series.map(({ start, quota }) => ({ at: start, units: quota }));
      expect(sumsPerDay(zone, steps)).toEqual(expected);
      expect(series).toHaveLength(3);
      expect(totals.quota).toBe(sumIn(fromSec, toSec));
      expect(previous.quota).toBe(sumIn(2 * fromSec - toSec, fromSec));
      expect(models[0]?.quota).toBe(totals.quota);
      expect(tokens[0]?.quota).toBe(totals.quota);
    }
    for (const rows of [await site.as(OPERATOR).data.list(span), await own.listOwn(span)]) {
      const usage = rows.map(({ created_at: at, quota }) => ({ at, units: quota }));
      expect(sumsPerDay(zone, usage)).toEqual(expected);
    }
  });

  it.each(RANGES)('shows the hours of the clock in %s from %d', async (zone, fromSec) => {
    const { series } = await site.as(OPERATOR).data.overview({
      ...{ start_timestamp: fromSec, end_timestamp: fromSec + DAY - 1, step: 'hour' },
      time_zone: zone,
    });
    expect(series).toHaveLength(24);
    for (const { start, quota } of series) expect(quota).toBe(sumIn(start, start + 3600));
  });

  it('counts whole hours where the entries were deleted', async () => {
    const [zone, fromSec, toSec] = RANGES[0];
    await site.as(OPERATOR).log.clear({ before: toSec });
    const span = { start_timestamp: fromSec, end_timestamp: toSec - 1, time_zone: zone };
    const { start, end, totals } = await site.as(OPERATOR).data.overview({ ...span, step: 'day' });
    expect([start, end]).toEqual([fromSec - 1800, toSec + 1800]);
    expect(totals.quota).toBe(sumIn(start, end));
  });
});
