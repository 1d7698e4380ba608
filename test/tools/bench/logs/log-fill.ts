/**
 * Fills a log with entries like those of real calls: 96 % consumption, some errors and management,
 * spread over 30 days, 200 users with three tokens each, 20 models and 12 channels. These are drawn
 * independently, which gives the most combinations; a fifth of the entries belongs to the first
 * user. The hourly and daily aggregates are computed in SQL, because counting millions of entries
 * one by one would take longer than the benchmark itself.
 */
import type { Knex } from 'knex';
import type { Context } from '../../../../src/context.ts';
import { COMBINATION_KINDS, COMBINATIONS } from '../../../../src/domain/logs/log-combinations.ts';
import { lastLogId } from '../../../../src/store/logs/log-rows.ts';
import { rowsOf } from '../../../../src/store/sql/sql-dialect.ts';

export interface Filling {
  readonly lines: number;
  readonly users: number;
  readonly startSec: number;
  readonly spanSec: number;
}

const PORTION = 250_000;

/** SQL for the numbers from `from` up to but excluding `to`, as rows `n(i)`. */
const NUMBERS = {
  sqlite: 'with recursive n(i) as (select ? union all select i + 1 from n where i < ? - 1)',
  postgres: 'with n(i) as (select generate_series(?::bigint, ?::bigint - 1))',
} as const;
const PADDING = { sqlite: 'hex(zeroblob(120))', postgres: "repeat('0', 240)" } as const;
const TRUTH = { sqlite: 'i % 2', postgres: 'i % 2 = 1' } as const;

export async function fillLog(ctx: Context, filling: Filling): Promise<void> {
  const { engine, db } = ctx;
  if (engine === 'mysql') throw new Error('lines are made for SQLite and PostgreSQL only');
  const { lines, users, startSec, spanSec } = filling;
  const indexes = await takeIndexes(ctx);
  const user = `(case when ${drawn(1, 5)} = 0 then 0 else ${drawn(2, users)} end)`;
  const token = drawn(3, 3);
  const type = `case when ${drawn(4, 50)} = 0 then 6 when ${drawn(4, 53)} = 1 then 3 else 2 end`;
  const sql = `
    insert into logs (request_id, user_id, created_at, type, content, username, token_name,
      model_name, quota, prompt_tokens, completion_tokens, use_time, use_time_ms, first_token_ms,
      is_stream, channel_id, token_id, "group", client_ip, usage_source, other)
    ${NUMBERS[engine]}
    select 'req' || i, 2 + ${user}, ${startSec} + (i * ${spanSec}) / ${lines}, ${type},
      case when ${drawn(4, 50)} = 0 then 'upstream answered 429' else '' end,
      'user' || (1 + ${user}), 'token' || ${token}, 'model-' || ${drawn(5, 20)},
      case when ${drawn(4, 50)} = 0 then 0 else 100 + i % 900 end, 1000 + i % 500, i % 700,
      1, 300 + (i * 104729) % 9000, 100 + (i * 1299709) % 900, ${TRUTH[engine]},
      1 + ${drawn(6, 12)}, 1 + 3 * ${user} + ${token},
      case when ${drawn(7, 400)} = 0 then 'vip' else 'default' end, '', 'upstream',
      '{"model_price":-1,"model_ratio":0.075,"completion_ratio":4,"cache_tokens":' || (i % 99)
        || ',"status_code":429,"padding":"' || ${PADDING[engine]} || '"}'
    from n`;
  for (let from = 0; from < lines; from += PORTION)
    await db.raw(sql, [from, Math.min(from + PORTION, lines)]);
  for (const index of indexes) await db.raw(index);
  await countInSql(ctx);
  await db.raw(engine === 'postgres' ? 'vacuum analyze' : 'analyze log_hours');
  // Measures a log that grew over weeks, not one whose pages are still unwritten.
  await db.raw(engine === 'postgres' ? 'checkpoint' : 'pragma wal_checkpoint(truncate)');
}

/** A number below `of`, independent of the entry's other numbers. */
function drawn(column: number, of: number): string {
  const factor = 2_654_435_761 - 7_368_788 * column;
  return `((((i * ${factor}) % 4294967296) / 1024) % ${of})`;
}

/** Drops the indexes of the log and returns the statements that recreate them. */
async function takeIndexes({ db, engine }: Context): Promise<string[]> {
  const found =
    engine === 'postgres'
      ? await db.raw(
          "select indexname as name, indexdef as sql from pg_indexes where tablename = 'logs'",
        )
      : await db.raw(
          "select name, sql from sqlite_master where type = 'index' and tbl_name = 'logs' and sql is not null",
        );
  const indexes = rowsOf(found);
  for (const { name } of indexes) await db.raw('drop index ??', [String(name)]);
  return indexes.map(({ sql }) => String(sql).replace(' ONLY ', ' '));
}

const SUBJECTS = {
  site: "''",
  user: "user_id || ''",
  token: "user_id || '/' || token_name",
  model: 'model_name',
  channel: "channel_id || ''",
  group: '"group"',
} as const;

/** The number of duration buckets of a busy hour. */
const BUCKETS = 24;
const TIMED = ['site', 'user', 'model', 'channel'];

function histogram(scope: string, first: number): string {
  if (!TIMED.includes(scope)) return "''";
  const pairs = Array.from(
    { length: BUCKETS },
    (_, at) => `'${first + at}:' || (count(*) / ${BUCKETS} + 1)`,
  );
  return pairs.join(" || ',' || ");
}

async function countInSql({ db }: Context): Promise<void> {
  for (const [scope, subject] of Object.entries(SUBJECTS))
    await db.raw(`
      insert into log_hours (scope, subject, hour, type, lines, quota, prompt_tokens,
        completion_tokens, cache_tokens, latency, first_token, statuses)
      select '${scope}', ${subject}, created_at - created_at % 3600, type, count(*), sum(quota),
        sum(prompt_tokens), sum(completion_tokens), 0,
        ${histogram(scope, 80)}, ${histogram(scope, 50)},
        case when type = 6 then '429:' || count(*) else '' end
      from logs group by 2, 3, 4`);
  await db.raw(`
    insert into quota_data (user_id, username, model_name, created_at, token_used, count, quota)
    select user_id, max(username), model_name, created_at - created_at % 3600,
      sum(prompt_tokens + completion_tokens), count(*), sum(quota)
    from logs where type = 2 group by user_id, model_name, created_at - created_at % 3600`);
  await sumDays(db);
  await db('log_progress').delete();
  const last = await lastLogId(db);
  await db('log_progress').insert({
    id: 1,
    counted_id: last,
    settled_id: last,
    seen_id: last,
    seen_at: 0,
    cleared_before: 0,
    revision: 1,
  });
}

/** Aggregates all past days, like the job. */
async function sumDays(db: Knex): Promise<void> {
  const today = '(select max(hour) - max(hour) % 86400 from log_hours)';
  const sums = 'lines, quota, prompt_tokens, completion_tokens';
  const summed = 'sum(lines), sum(quota), sum(prompt_tokens), sum(completion_tokens)';
  await db.raw(`
    insert into log_days (day, scope, subject, type, ${sums})
    select hour - hour % 86400, scope, subject, type, ${summed} from log_hours
    where scope in ('user', 'token', 'model', 'channel') and hour < ${today} group by 1, 2, 3, 4`);
  const key = 'user_id, token_name, model_name, channel_id, "group"';
  await db.raw(`
    insert into log_combinations (kind, day, ${key}, type, ${sums})
    select 'all', created_at - created_at % 86400, ${key}, type, count(*), sum(quota),
      sum(prompt_tokens), sum(completion_tokens)
    from logs where created_at < ${today} group by 2, 3, 4, 5, 6, 7, 8`);
  for (const kind of COMBINATION_KINDS.slice(0, -1)) {
    const known: readonly string[] = COMBINATIONS[kind];
    const columns = COMBINATIONS.all.map((column) => {
      const empty = /_id$/.test(column) ? '0' : "''";
      return known.includes(column) ? `"${column}"` : empty;
    });
    await db.raw(`
      insert into log_combinations (kind, day, ${key}, type, ${sums})
      select '${kind}', day, ${columns.join()}, type, ${summed} from log_combinations
      where kind = 'all' group by 2, 3, 4, 5, 6, 7, 8`);
  }
  await db.raw(`
    insert into log_day_states (day, owner, day_lines, combined_lines)
    select hour - hour % 86400, '', sum(lines), sum(lines) from log_hours
    where scope = 'site' and hour < ${today} group by 1`);
}
