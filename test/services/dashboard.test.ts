import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { OPERATOR } from '../support/local-site.ts';
import { sharedLocalSite } from '../support/shared-site.ts';
import { aggregateAll, anEntry, DAY, HOUR, NOON, writeEntries } from './logs/log-entries.ts';

/**
 * Results must not depend on how many of the entries are aggregated. With some of them a database
 * reads both entries and aggregates.
 */
const STAGES = databases.flatMap(({ kind }) =>
  (kind === 'sqlite' ? [0, 4, 10] : [4]).map((counted) => ({ kind, counted })),
);

describe.each(STAGES)(
  'the dashboard on $kind, $counted entries counted',
  async ({ kind, counted }) => {
    const site = await sharedLocalSite(kind);
    const ann = await site.aUser({ username: 'ann' });
    const bob = await site.aUser({ username: 'bob' });
    const channelId = (await site.aChannel({ name: 'main' })).id;
    await site.ctx.db('logs').delete();
    const ofAnn = { user_id: ann.id, username: 'ann', channel_id: channelId };
    const ofBob = { user_id: bob.id, username: 'bob', channel_id: channelId };
    const tokens = { prompt_tokens: 100, completion_tokens: 50 };
    const failed = (status: number) => JSON.stringify({ status_code: status });
    const entries = [
      anEntry({
        ...ofAnn,
        ...tokens,
        quota: 14,
        cost: 9,
        created_at: NOON - 2 * HOUR,
        use_time_ms: 1000,
      }),
      anEntry({ ...ofAnn, ...tokens, quota: 20, created_at: NOON - HOUR, use_time_ms: 3000 }),
      anEntry({
        ...ofBob,
        ...tokens,
        quota: 5,
        cost: 6,
        created_at: NOON - HOUR,
        other: '{"cache_tokens":40}',
      }),
      anEntry({
        ...ofBob,
        quota: 7,
        cost: 2,
        model_name: 'o3',
        token_name: 'x',
        created_at: NOON - 10,
      }),
      anEntry({ ...ofBob, type: 6, created_at: NOON - 20, other: failed(429) }),
      anEntry({ ...ofBob, type: 6, created_at: NOON - 20, other: failed(429) }),
      anEntry({ ...ofBob, type: 6, created_at: NOON - 20, other: failed(500) }),
      // Refunds are subtracted from spend everywhere, and do not count as calls.
      anEntry({ ...ofAnn, type: 7, quota: 4, created_at: NOON - 2 * HOUR + 60 }),
      anEntry({ ...ofAnn, type: 1, quota: 1_000_000, created_at: NOON - 20 }),
      anEntry({ ...ofAnn, ...tokens, quota: 3, cost: 1, created_at: NOON - DAY - 2 * HOUR }),
    ];
    await writeEntries(site.ctx, entries.slice(0, counted));
    await aggregateAll(site);
    await writeEntries(site.ctx, entries.slice(counted));

    const span = { start_timestamp: NOON - 12 * HOUR, end_timestamp: NOON };

    it('lists usage per model and hour, of all models or of one', async () => {
      const { list } = site.as(OPERATOR).data;
      const rows = (await list(span)).map((row) => [
        row.model_name,
        row.created_at,
        row.count,
        row.quota,
        row.token_used,
      ]);
      expect(rows).toEqual([
        ['gpt-4o', NOON - 2 * HOUR, 1, 10, 150],
        ['gpt-4o', NOON - HOUR, 2, 25, 300],
        ['o3', NOON - HOUR, 1, 7, 0],
      ]);
      const ofBob = await list({ ...span, username: 'bob' });
      expect(ofBob.map((row) => [row.username, row.model_name, row.quota])).toEqual([
        ['bob', 'gpt-4o', 5],
        ['bob', 'o3', 7],
      ]);
      expect(await list({ ...span, username: 'nobody' })).toEqual([]);
    });

    it('shows users their own usage only', async () => {
      const rows = await site.as(ann.actor).data.listOwn(span);
      expect(rows.map((row) => [row.user_id, row.quota])).toEqual([
        [ann.id, 10],
        [ann.id, 20],
      ]);
    });

    it('sums up the whole site', async () => {
      const overview = await site.as(OPERATOR).data.overview({ ...span, step: 'hour' });
      expect(overview).toMatchObject({
        start: NOON - 12 * HOUR,
        end: NOON + HOUR,
        is_complete: true,
        totals: {
          calls: 4,
          errors: 3,
          quota: 42,
          tokens: 450,
          prompt_tokens: 300,
          completion_tokens: 150,
          cache_tokens: 40,
          error_rate: 3 / 7,
        },
        error_classes: [
          { class: 'rate_limit', count: 2 },
          { class: 'upstream', count: 1 },
        ],
        users: [
          { username: 'ann', calls: 2, errors: 0, quota: 30 },
          { username: 'bob', calls: 2, errors: 3, quota: 12 },
        ],
        models: [
          { model_name: 'gpt-4o', calls: 3, errors: 3, quota: 35 },
          { model_name: 'o3', calls: 1, quota: 7 },
        ],
        tokens: [
          { username: 'ann', token_name: 'ci', quota: 30 },
          { username: 'bob', token_name: 'x', quota: 7 },
          { username: 'bob', token_name: 'ci', quota: 5, errors: 3 },
        ],
        channels: [
          { channel: channelId, channel_name: 'main', calls: 4, errors: 3, success_rate: 4 / 7 },
        ],
      });
      expect(overview.latency.p99).toBeGreaterThan(2700);
      expect(overview.latency.p99).toBeLessThan(3300);
      expect(overview.first_token.p50).toBeGreaterThan(270);
      expect(overview.series).toHaveLength(13);
      expect(overview.series.map((step) => step.quota).slice(-3)).toEqual([10, 32, 0]);
      expect(overview.series[0]?.latency).toEqual({ p50: null, p95: null, p99: null });
    });

    it("compares with the previous period, and uses the caller's time zone for days", async () => {
      const overview = await site.as(OPERATOR).data.overview({
        start_timestamp: NOON - DAY,
        end_timestamp: NOON - 1,
        step: 'day',
        utc_offset: 480,
      });
      expect(overview.totals.quota).toBe(42);
      expect(overview.previous).toMatchObject({ calls: 1, quota: 3, tokens: 150 });
      const starts = overview.series.map((step) => new Date(step.start * 1000).toISOString());
      expect(starts).toEqual(['2026-11-19T16:00:00.000Z', '2026-11-20T16:00:00.000Z']);
    });

    it('follows the summer time of a zone, and refuses an unknown one', async () => {
      const seriesIn = async (time_zone: string, step: 'day' | 'week') => {
        const { series } = await site.as(OPERATOR).data.overview({
          start_timestamp: Date.UTC(2026, 9, 23, 22) / 1000,
          end_timestamp: Date.UTC(2026, 9, 26, 22, 59) / 1000,
          step,
          time_zone,
        });
        return series.map(({ start }) => new Date(start * 1000).toISOString().slice(0, 13));
      };
      expect(await seriesIn('Europe/Berlin', 'day')).toEqual([
        '2026-10-23T22',
        '2026-10-24T22',
        '2026-10-25T23',
      ]);
      expect(await seriesIn('Europe/Berlin', 'week')).toEqual(['2026-10-18T22', '2026-10-25T23']);
      await expect(seriesIn('Europe/Nowhere', 'day')).rejects.toMatchObject({ param: 'time_zone' });
    });

    it('sums up one user without showing upstreams', async () => {
      const overview = await site.as(bob.actor).data.overviewOwn(span);
      expect(overview).toMatchObject({
        totals: { calls: 2, errors: 3, quota: 12 },
        models: [
          { model_name: 'o3', calls: 1, quota: 7 },
          { model_name: 'gpt-4o', calls: 1, quota: 5, tokens: 150 },
        ],
        users: [],
        channels: [],
      });
      expect(overview.tokens.map((token) => token.token_name)).toEqual(['x', 'ci']);
      const same = await site.as(OPERATOR).data.overview({ ...span, username: 'bob' });
      expect(same).toMatchObject(overview);
    });

    it('shows costs and margins to administrators only', async () => {
      const { data } = site.as(OPERATOR);
      const overview = await data.overview({ ...span, step: 'hour' });
      const ofSite = { cost: 17, costed_quota: 26, margin: 9 };
      expect(overview.totals.costs).toEqual(ofSite);
      expect(overview.channels[0]?.costs).toEqual(ofSite);
      expect(overview.users.map(({ costs }) => costs)).toEqual([
        { cost: 9, costed_quota: 14, margin: 5 },
        { cost: 8, costed_quota: 12, margin: 4 },
      ]);
      expect(overview.models.map(({ costs }) => costs?.margin)).toEqual([4, 5]);
      expect(overview.tokens.map(({ costs }) => costs?.margin)).toEqual([5, 5, -1]);
      expect(overview.series.slice(-3).map(({ costs }) => costs?.margin)).toEqual([
        5,
        4,
        undefined,
      ]);
      const days = { start_timestamp: NOON - DAY, end_timestamp: NOON - 1 };
      const { previous } = await data.overview({ ...days, step: 'day' });
      expect(previous.costs).toEqual({ cost: 1, costed_quota: 3, margin: 2 });
      const ofBob = await data.overview({ ...span, username: 'bob' });
      expect(ofBob.totals.costs).toEqual({ cost: 8, costed_quota: 12, margin: 4 });
      const own = await site.as(bob.actor).data.overviewOwn(span);
      expect(JSON.stringify(own)).not.toContain('cost');
    });

    it('refuses periods that are too long or reversed', async () => {
      const { list, overview } = site.as(OPERATOR).data;
      const own = site.as(ann.actor).data;
      const days = (count: number) => ({
        start_timestamp: NOON - count * DAY,
        end_timestamp: NOON,
      });
      await expectRefusal(list(days(367)), 'span_too_long', { params: { days: 366 } });
      await expectRefusal(overview(days(367)), 'span_too_long');
      await expect(own.listOwn(days(31))).rejects.toMatchObject({ params: { days: 30 } });
      await list(days(366));
      await own.listOwn(days(30));
      const turned = { start_timestamp: NOON, end_timestamp: NOON - 1 };
      await expect(list(turned)).rejects.toMatchObject({ param: 'end_timestamp' });
      await expectRefusal(overview({ username: 'nobody' }), 'user_missing');
    });
  },
);
