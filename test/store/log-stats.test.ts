/** Pages and sums must equal those of a plain search, whatever is aggregated. */
import { describe, expect, it } from 'vitest';
import type { LogFilter } from '../../src/store/logs/log-filter.ts';
import { pageOfLogs } from '../../src/store/logs/log-pages.ts';
import type { LogRow } from '../../src/store/logs/log-row.ts';
import { sumOfLogs, sumsOfLogs } from '../../src/store/logs/log-stats.ts';
import {
  aggregateAll,
  anEntry,
  DAY,
  HOUR,
  NOON,
  writeEntries,
} from '../services/logs/log-entries.ts';
import { admits, BREAKDOWNS, sumOf, sumsBy } from '../services/logs/log-sums.ts';
import { databases } from '../support/databases.ts';
import { createLocalSite, OPERATOR } from '../support/local-site.ts';
import { sharedLocalSite } from '../support/shared-site.ts';

/** Enough for distant pages, for which whole hours are skipped. */
const ENTRIES = 1600;

/** Reproducible pseudo-random numbers. */
function scattered(index: number, of: number): number {
  return (((index + 1) * 2_654_435_761) % 4_294_967_296) % of;
}

function entry(index: number): LogRow {
  const user = 1 + scattered(index, 3);
  const type = [2, 2, 2, 6, 3, 7][scattered(index * 3, 6)] ?? 2;
  return anEntry({
    request_id: `r${index}`,
    user_id: user,
    username: `user${user}`,
    // Three days, not in the order of the ids, many entries in one second.
    created_at: NOON - scattered(index * 7, 3 * 24 * 60) * 60,
    type,
    token_name: `token${scattered(index * 5, 2)}`,
    model_name: ['gpt-4o', 'gpt-4o-mini', 'o3', 'GPT-x'][scattered(index * 11, 4)] ?? '',
    channel_id: 1 + scattered(index * 13, 2),
    group: scattered(index * 17, 30) === 0 ? 'vip' : 'default',
    quota: scattered(index, 1000),
    prompt_tokens: scattered(index * 2, 100),
    completion_tokens: scattered(index * 4, 100),
    cost: type === 2 && index % 3 > 0 ? scattered(index * 5, 900) : null,
  });
}

const FILTERS: Readonly<Record<string, LogFilter>> = {
  all: {},
  'a type': { type: 6 },
  'a user': { userId: 2 },
  'a user and a type': { userId: 2, type: 6 },
  'a token of a user': { userId: 1, tokenName: 'token1' },
  'tokens of a name': { tokenName: 'token1' },
  'a part of a name': { tokenName: '*KEN1' },
  'a part of the names of a user': { userId: 1, tokenName: '*oken*' },
  'parts of the names of a token and a model': { tokenName: 't*1', modelName: 'gpt*' },
  'a model': { modelName: 'gpt-4o' },
  'a model pattern': { modelName: 'gpt*mini' },
  'a model pattern and a type': { modelName: 'gpt*', type: 6 },
  'a channel': { channelId: 2 },
  'a small group': { group: 'vip' },
  'a user and a model': { userId: 1, modelName: 'o3' },
  'whole hours': { sinceSec: NOON - DAY, untilSec: NOON - HOUR - 1 },
  'a range that cuts hours': { sinceSec: NOON - 2 * DAY + 777, untilSec: NOON - 5 * HOUR - 1234 },
  'less than an hour': { sinceSec: NOON - 3000, untilSec: NOON - 60 },
  'a user in a range': { userId: 3, sinceSec: NOON - DAY - 99, untilSec: NOON + HOUR },
  'a group in a range': { group: 'vip', sinceSec: NOON - 2 * DAY - 99, untilSec: NOON - 99 },
  'net spend': { type: 'spend' },
  'net spend of a token in a range': {
    type: 'spend',
    userId: 1,
    tokenName: 'token1',
    sinceSec: NOON - DAY - 99,
  },
  'net spend of a model and a channel': { type: 'spend', modelName: 'o3', channelId: 2 },
  nothing: { userId: 99 },
};

/** In database order: ids follow the order of writing. */
function expected(entries: readonly LogRow[], filter: LogFilter): LogRow[] {
  return entries
    .map((row, at) => ({ row, at }))
    .filter(({ row }) => admits(filter, row))
    .sort((a, b) => b.row.created_at - a.row.created_at || b.at - a.at)
    .map(({ row }) => row);
}

describe.each(databases)('pages and sums of the log on $kind', async ({ kind }) => {
  let entries = Array.from({ length: ENTRIES }, (_, index) => entry(index));

  const site = await sharedLocalSite(kind);
  await site.ctx.db('logs').delete();
  await writeEntries(site.ctx, entries);

  async function check() {
    for (const [name, filter] of Object.entries(FILTERS)) {
      const rows = expected(entries, filter);
      for (const offset of [0, 7, Math.max(0, rows.length - 5)]) {
        const page = await pageOfLogs(site.ctx.reads, filter, { limit: 10, offset });
        const found = page.rows.map((row) => row.request_id);
        const wanted = rows.slice(offset, offset + 10).map((row) => row.request_id);
        expect([name, offset, page.total, page.isEstimate, found]).toEqual([
          name,
          offset,
          rows.length,
          false,
          wanted,
        ]);
      }
      const sum = await sumOfLogs(site.ctx.reads, filter);
      expect([name, sum]).toEqual([name, sumOf(rows, filter)]);
      for (const by of BREAKDOWNS) {
        const sums = await sumsOfLogs(site.ctx.reads, filter, by, 200);
        const found = Object.fromEntries(sums.map(({ key, ...rest }) => [key, rest]));
        expect([name, by, found]).toEqual([name, by, sumsBy(by, rows, filter)]);
      }
    }
  }

  it('are correct while nothing is aggregated', check);

  it('are correct when everything is aggregated', async () => {
    await aggregateAll(site);
    const counted = await site.ctx
      .db('log_hours')
      .where({ scope: 'site' })
      .sum({ n: 'lines' })
      .first();
    expect(Number(counted?.n)).toBe(ENTRIES);
    await check();
  });

  it('are correct when entries were added since', async () => {
    const more = Array.from({ length: 80 }, (_, index) => entry(ENTRIES + index));
    await writeEntries(site.ctx, more);
    entries = [...entries, ...more];
    await check();
  });

  it('are correct after old entries were deleted, in the middle of an hour', async () => {
    const before = NOON - DAY - 1234;
    await site.as(OPERATOR).log.clear({ before });
    // The log entry of the clearing itself.
    await site.ctx.db('logs').where({ request_id: '' }).delete();
    entries = entries.filter((row) => row.created_at >= before);
    await check();
    const late = { ...entry(9999), created_at: before - HOUR };
    await writeEntries(site.ctx, [late]);
    entries = [...entries, late];
    await check();
  });
});

it('a log total that would take long to count is marked as a lower bound', async () => {
  const site = await createLocalSite('sqlite');
  try {
    await writeEntries(
      site.ctx,
      Array.from({ length: 10_050 }, (_, index) => anEntry({ created_at: NOON - index })),
    );
    const both = { userId: 1, modelName: 'gpt-4o' };
    const page = await pageOfLogs(site.ctx.reads, both, { limit: 10, offset: 10_045 });
    expect(page).toMatchObject({ total: 10_000, isEstimate: true });
    expect(page.rows).toHaveLength(5);
    const one = await pageOfLogs(site.ctx.reads, { userId: 1 }, { limit: 10, offset: 0 });
    expect(one).toMatchObject({ total: 10_050, isEstimate: false });
  } finally {
    await site.close();
  }
});
