/** What the dashboard shows of whole days must not change when old hours become days. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { aggregateLogs } from '../../../src/services/logs/hourly-aggregates.ts';
import { retainLogs } from '../../../src/services/logs/log-clear.ts';
import { summarizeDays } from '../../../src/services/logs/log-days.ts';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { anEntry, DAY, HOUR, NOON, writeEntries } from './log-entries.ts';

const MIDNIGHT = NOON - 12 * HOUR;
const OLD_DAYS = [40, 31];
/** More than one batch. */
const USERS = 51;
const TABLES = ['logs', 'log_hours', 'log_progress', 'log_days', 'log_day_states', 'quota_data'];

/** Each user calls at two hours of each old day and of today, and once without success. */
function entriesOf(user: number) {
  return [...OLD_DAYS, 0].flatMap((days) =>
    [3, 12, 20].map((hour) =>
      anEntry({
        user_id: user,
        username: `user${user}`,
        token_name: `token${user}`,
        model_name: user % 2 === 0 ? 'gpt-4o' : 'o3',
        created_at: MIDNIGHT - days * DAY + hour * HOUR + user,
        type: hour === 20 ? 6 : 2,
        quota: hour === 20 ? 0 : user + days,
        cost: user,
        prompt_tokens: 100,
        completion_tokens: hour,
        use_time_ms: 100 * user + hour,
        other: hour === 20 ? '{"status_code":429}' : '{"cache_tokens":40}',
      }),
    ),
  );
}

describe.each(databases)('aggregates of old days on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const ann = await site.aUser({ username: 'ann' });
  beforeEach(async () => {
    for (const table of TABLES) await site.ctx.db(table).delete();
    await writeEntries(
      site.ctx,
      Array.from({ length: USERS }, (_, at) => entriesOf(at + 1)).flat(),
    );
    await count();
    await summarizeDays(site.ctx);
    await site.as(OPERATOR).option.set({ key: 'LogRetentionDays', value: 30 });
  });

  /** Databases other than SQLite trust an id only after a minute. */
  async function count() {
    for (const _run of [1, 2, 3]) {
      await aggregateLogs(site.ctx);
      site.pass(61);
    }
    site.pass(-183);
  }

  /** Everything that is shown of these days. */
  async function shown() {
    const { data } = site.as(OPERATOR);
    const span = { start_timestamp: MIDNIGHT - 45 * DAY, end_timestamp: MIDNIGHT + DAY - 1 };
    const usage = await data.list(span);
    const perDay = new Map<string, number[]>();
    for (const { created_at: at, model_name: model, count, quota, token_used } of usage) {
      const key = `${at - (at % DAY)} ${model}`;
      const [calls = 0, spent = 0, tokens = 0] = perDay.get(key) ?? [];
      perDay.set(key, [calls + count, spent + quota, tokens + token_used]);
    }
    const shanghai = { ...span, step: 'day', time_zone: 'Asia/Shanghai' } as const;
    return {
      perDay,
      ofSite: await data.overview({ ...span, step: 'day' }),
      ofUser: await site.as(ann.actor).data.overviewOwn({ ...span, step: 'day' }),
      week: await data.overview({ ...span, step: 'week' }),
      elsewhere: (await data.overview(shanghai)).totals,
    };
  }

  async function rowsOf(table: string, column: string) {
    const old = site.ctx.db(table).where(column, '<', MIDNIGHT - 30 * DAY);
    const [row] = await old.count({ n: '*' });
    return Number(row?.n);
  }

  const reads = ['log_hours', 'quota_data'] as const;
  const rows = () =>
    Promise.all(reads.map((table) => rowsOf(table, table === 'log_hours' ? 'hour' : 'created_at')));
  /** Per day: calls and failures of users, tokens, two models, a channel, a group and the site. */
  const ROWS = [OLD_DAYS.length * 2 * (2 * USERS + 5), OLD_DAYS.length * USERS];

  it('leaves one row per day and subject, and the same sums', async () => {
    const before = await shown();
    expect(await rows()).not.toEqual(ROWS);
    await retainLogs(site.ctx);
    expect(await rows()).toEqual(ROWS);
    expect(await shown()).toEqual(before);
    expect(await rowsOf('logs', 'created_at')).toBe(0);
    const ids = await site.ctx.db('quota_data').max({ id: 'id' });
    await retainLogs(site.ctx);
    expect(await site.ctx.db('quota_data').max({ id: 'id' })).toEqual(ids);
  });

  it('continues where a run was interrupted, on several nodes at once', async () => {
    const before = await shown();
    const stop = new AbortController();
    const run = retainLogs(site.ctx, { signal: stop.signal });
    while ((await rows())[1] === OLD_DAYS.length * USERS * 2) await aTurn();
    stop.abort();
    await run;
    expect(await rows()).not.toEqual(ROWS);
    expect(await shown()).toEqual(before);
    const otherNode: Context = { ...site.ctx };
    await Promise.all([retainLogs(site.ctx), retainLogs(otherNode)]);
    expect(await rows()).toEqual(ROWS);
    expect(await shown()).toEqual(before);
  });

  it('adds calls that are counted late to their day', async () => {
    await retainLogs(site.ctx);
    const { quota } = (await shown()).ofSite.totals;
    await writeEntries(site.ctx, [
      anEntry({ created_at: MIDNIGHT - 31 * DAY + 5 * HOUR, quota: 7 }),
    ]);
    await count();
    await retainLogs(site.ctx);
    // The late call had a token of its own.
    expect((await rows())[0]).toBe((ROWS[0] ?? 0) + 1);
    expect((await shown()).ofSite.totals.quota).toBe(quota + 7);
  });

  it('keeps the hours while the log is kept', async () => {
    await site.as(OPERATOR).option.set({ key: 'LogRetentionDays', value: 0 });
    const before = await rows();
    await retainLogs(site.ctx);
    expect(await rows()).toEqual(before);
  });
});

function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
