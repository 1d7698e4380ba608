/**
 * Adds the hourly totals of many log entries to the stored ones in two statements, without reading
 * the entries. The results are those of `LogFigures` (`domain/logs/log-hours.ts`), with
 * `addHours` and `addHourlyUsage`; a test compares them. MySQL and MariaDB lack the statements.
 */
import type { Knex } from 'knex';
import { BUCKETS_A_DOUBLING } from '../../domain/logs/histogram.ts';
import { HOUR_SEC, type LogScope, TIMED_SCOPES } from '../../domain/logs/log-hours.ts';
import { LOG_TYPE, SPEND_TYPES } from '../../domain/logs/log-types.ts';
import type { Engine } from '../connection/engine.ts';
import { numberValue } from '../sql/read-rows.ts';
import { engineOf, type Row } from '../sql/sql-dialect.ts';
import { HOUR_HISTOGRAMS, HOUR_SUMS } from './log-hours.ts';

type CountingEngine = Exclude<Engine, 'mysql'>;

/** Entries after the first id, up to and including the second. */
export interface IdRange {
  readonly afterId: number;
  readonly upToId: number;
}

export function countsInSql(engine: Engine): engine is CountingEngine {
  return engine !== 'mysql';
}

/** The range of the first `limit` entries of a range, and their number. */
export async function firstEntries(
  reads: Knex,
  { afterId, upToId }: IdRange,
  limit: number,
): Promise<IdRange & { readonly entries: number }> {
  const first = reads('logs')
    .where('id', '>', afterId)
    .where('id', '<=', upToId)
    .orderBy('id')
    .limit(limit)
    .select('id');
  const row: Row | undefined = await reads
    .from(first.as('first_entries'))
    .max({ last: 'id' })
    .count({ total: '*' })
    .first();
  const entries = numberValue(row?.total);
  return { afterId, entries, upToId: entries < limit ? upToId : numberValue(row?.last) };
}

/** Counts the entries of a range. The caller holds the lock of `lockLogProgress`. */
export async function countHoursInSql(trx: Knex.Transaction, range: IdRange): Promise<void> {
  await trx.raw(HOURS_SQL[countingEngineOf(trx)], [range.afterId, range.upToId]);
}

/** The same for the usage per user, model and hour. */
export async function countUsageInSql(trx: Knex.Transaction, range: IdRange): Promise<void> {
  await trx.raw(USAGE_SQL, [range.afterId, range.upToId]);
}

function countingEngineOf(db: Knex): CountingEngine {
  const engine = engineOf(db);
  if (!countsInSql(engine)) throw new Error(`entries are not counted in SQL on ${engine}`);
  return engine;
}

const { consume, error, refund } = LOG_TYPE;
const SPEND = `case when type = ${consume} then quota when type = ${refund} then -quota else 0 end`;
const HOUR = `created_at - created_at % ${HOUR_SEC}`;

/** As `bucketOf`; the added fraction makes up for logarithms that fall short of a whole number. */
function bucketSql(ms: string): string {
  const perUnit = BUCKETS_A_DOUBLING / Math.LN2;
  return `case when ${ms} < 1 then 0 else cast(floor(ln(${ms}) * ${perUnit} + 1e-9) as bigint) + 1 end`;
}

/** The number after a name at the beginning of `other`, as `factsOf` reads it. */
const NUMBER_IN_OTHER: Readonly<Record<CountingEngine, (name: string, digits: number) => string>> =
  {
    postgres: (name, digits) =>
      `coalesce(cast(substring(substr(other, 1, 1000) from '"${name}":([0-9]{1,${digits}})') as bigint), 0)`,
    sqlite: (name, digits) => {
      const label = `"${name}":`;
      const at = `instr(substr(other, 1, 1000), '${label}')`;
      const digitsAfter = `cast(substr(other, ${at} + ${label.length}, ${digits}) as integer)`;
      return `case when ${at} > 0 then max(${digitsAfter}, 0) else 0 end`;
    },
  };

const SUBJECTS: Readonly<Record<LogScope, string>> = {
  user: 'cast(user_id as text)',
  token: "user_id || '/' || token_name",
  model: 'model_name',
  channel: 'cast(channel_id as text)',
  group: '"group"',
  site: "''",
};

const KEY = 'scope, subject, hour, type';
const JOINED: Readonly<Record<CountingEngine, string>> = {
  postgres: 'string_agg',
  sqlite: 'group_concat',
};

/** The pairs of two texts of counts, each value once. */
const MERGED: Readonly<Record<CountingEngine, (one: string, other: string) => string>> = {
  postgres: (one, other) =>
    `(select string_agg(value || ':' || total, ',') from (
      select split_part(pair, ':', 1) as value, sum(cast(split_part(pair, ':', 2) as bigint)) as total
      from unnest(string_to_array(${one} || ',' || ${other}, ',')) as pair group by 1) as merged)`,
  sqlite: (one, other) =>
    `(select group_concat(value || ':' || total, ',') from (
      select substr(value, 1, instr(value, ':') - 1) as value,
        sum(cast(substr(value, instr(value, ':') + 1) as integer)) as total
      from json_each('["' || replace(${one} || ',' || ${other}, ',', '","') || '"]') group by 1))`,
};

function hoursSql(engine: CountingEngine): string {
  const scopes = Object.keys(SUBJECTS) as LogScope[]; // keys of the literal
  const numberIn = NUMBER_IN_OTHER[engine];
  const tookMs = 'case when use_time_ms = 0 then use_time * 1000.0 else use_time_ms end';
  const cells = (columns: string, among: readonly LogScope[], condition = '') =>
    among.map(
      (scope) =>
        `select '${scope}' as scope, ${SUBJECTS[scope]} as subject, hour, type, ${columns} from entries ${condition}`,
    );
  const timed = scopes.filter((scope) => TIMED_SCOPES.has(scope));
  const values = HOUR_HISTOGRAMS.flatMap((column) =>
    cells(
      `'${column}' as kind, ${column} as value, count(*) as total`,
      timed,
      `where ${column} is not null group by 2, hour, type, ${column}`,
    ),
  );
  const sets = HOUR_HISTOGRAMS.map((column) => {
    const [stored, given] = [`log_hours.${column}`, `excluded.${column}`];
    return `${column} = case when ${given} = '' then ${stored} when ${stored} = '' then ${given}
      else ${MERGED[engine](stored, given)} end`;
  });
  return `
    insert into log_hours (${KEY}, lines, ${HOUR_SUMS.join()}, ${HOUR_HISTOGRAMS.join()})
    with entries as (
      select ${HOUR} as hour, type, user_id, token_name, model_name, channel_id, "group", quota,
        coalesce(cost, 0) as cost, case when cost is null then 0 else ${SPEND} end as costed_quota,
        prompt_tokens, completion_tokens,
        case when type = ${consume} then ${numberIn('cache_tokens', 15)} else 0 end as cache_tokens,
        case when type = ${consume} then ${bucketSql(`(${tookMs})`)} end as latency,
        case when type = ${consume} and first_token_ms > 0
          then ${bucketSql('first_token_ms')} end as first_token,
        case when type = ${error} then ${numberIn('status_code', 3)} end as statuses
      from logs where id > ? and id <= ?
    ), sums as (
      ${cells(`count(*) as lines, ${HOUR_SUMS.map((column) => `sum(${column}) as ${column}`)}`, scopes, 'group by 2, hour, type').join(' union all ')}
    ), counts as (
      ${values.join(' union all ')}
    ), histograms as (
      select ${KEY}, ${HOUR_HISTOGRAMS.map(
        (column) =>
          `${JOINED[engine]}(case when kind = '${column}' then value || ':' || total end, ',') as ${column}`,
      ).join()}
      from counts group by ${KEY}
    )
    select ${KEY}, lines, ${HOUR_SUMS.join()}, ${HOUR_HISTOGRAMS.map((column) => `coalesce(${column}, '')`).join()}
    from sums left join histograms using (${KEY}) where true
    on conflict (${KEY}) do update set
      ${['lines', ...HOUR_SUMS].map((column) => `${column} = log_hours.${column} + excluded.${column}`).join()},
      ${sets.join()}`;
}

const HOURS_SQL: Readonly<Record<CountingEngine, string>> = {
  postgres: hoursSql('postgres'),
  sqlite: hoursSql('sqlite'),
};

const USAGE_SQL = `
  insert into quota_data (user_id, model_name, created_at, username, token_used, count, quota)
  select user_id, model_name, hour, max(username), sum(tokens), sum(calls), sum(spend) from (
    select user_id, model_name, username, ${HOUR} as hour, prompt_tokens + completion_tokens as tokens,
      case when type = ${consume} then 1 else 0 end as calls, ${SPEND} as spend
    from logs where id > ? and id <= ? and type in (${SPEND_TYPES.join()})
  ) as used where true group by user_id, model_name, hour
  on conflict (user_id, model_name, created_at) do update set username = excluded.username,
    token_used = quota_data.token_used + excluded.token_used,
    count = quota_data.count + excluded.count, quota = quota_data.quota + excluded.quota`;
