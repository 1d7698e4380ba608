/** Site-wide statistics that only the database has. Cheap: small tables, or an index. */
import type { Knex } from 'knex';
import { nowSecSql } from '../connection/clock.ts';
import { numberValue, rowCount, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { type JobRunOutcome, jobRuns } from './job-runs-table.ts';

export interface SiteStatistics {
  readonly holds: number;
  /** Epoch seconds; 0 without a hold. */
  readonly oldestHoldSec: number;
  /** Number of channels by their status. */
  readonly channels: ReadonlyMap<number, number>;
  readonly balances: readonly ChannelBalance[];
  readonly jobs: readonly JobEnd[];
  readonly nodes: number;
  readonly migrations: number;
}

export interface ChannelBalance {
  readonly channelId: number;
  readonly type: number;
  readonly amount: number;
  readonly currency: string;
}

export interface JobEnd {
  readonly name: string;
  readonly outcome: JobRunOutcome;
  readonly finishedAtMs: number;
}

/** `freshSec`: nodes silent for longer count as gone. At most `limit` balances. */
export async function readSiteStatistics(
  db: Knex,
  { freshSec, limit }: { readonly freshSec: number; readonly limit: number },
): Promise<SiteStatistics> {
  const holds: Row | undefined = await db('holds')
    .count({ n: '*' })
    .min({ oldest: 'created_at' })
    .first();
  const statuses: Row[] = await db('channels').select('status').count({ n: '*' }).groupBy('status');
  const balances: Row[] = await db('channels')
    .where('balance_updated_time', '>', 0)
    .orderBy('id')
    .limit(limit)
    .select('id', 'type', 'balance', 'balance_currency');
  const fresh = db('nodes').whereRaw(`seen_at >= ${nowSecSql(db)} - ${freshSec}`);
  return {
    holds: numberValue(holds?.n),
    oldestHoldSec: holds?.oldest == null ? 0 : numberValue(holds.oldest),
    channels: new Map(statuses.map((row) => [numberValue(row.status), numberValue(row.n)])),
    balances: balances.map((row) => ({
      channelId: numberValue(row.id),
      type: numberValue(row.type),
      amount: numberValue(row.balance),
      currency: textValue(row.balance_currency),
    })),
    jobs: (await jobRuns(db)).map(({ name, outcome, finishedAtMs }) => ({
      name,
      outcome,
      finishedAtMs,
    })),
    nodes: await rowCount(fresh),
    migrations: await rowCount(db('schema_migrations')),
  };
}
