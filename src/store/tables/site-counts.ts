/** Site-wide statistics that only the database has. Cheap: small tables, or an index. */
import type { Knex } from 'knex';
import { nowSecSql } from '../connection/clock.ts';
import {
  fromColumn,
  numberValue,
  type RowOf,
  rowCount,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { type JobRun, jobRuns } from './job-runs-table.ts';

export interface SiteStatistics {
  readonly holds: number;
  /** Epoch seconds; 0 without a hold. */
  readonly oldestHoldSec: number;
  /** Number of channels by their status. */
  readonly channels: ReadonlyMap<number, number>;
  readonly balances: readonly RowOf<typeof BALANCES>[];
  readonly jobs: readonly JobRun[];
  readonly nodes: number;
  readonly migrations: number;
}

const BALANCES = rowReader({
  channelId: fromColumn('id', numberValue),
  type: numberValue,
  amount: fromColumn('balance', numberValue),
  currency: fromColumn('balance_currency', textValue),
});

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
  const known = db('channels').where('balance_updated_time', '>', 0);
  const fresh = db('nodes').whereRaw(`seen_at >= ${nowSecSql(db)} - ${freshSec}`);
  return {
    holds: numberValue(holds?.n),
    oldestHoldSec: holds?.oldest == null ? 0 : numberValue(holds.oldest),
    channels: new Map(statuses.map((row) => [numberValue(row.status), numberValue(row.n)])),
    balances: await BALANCES.all(known.orderBy('id').limit(limit)),
    jobs: await jobRuns(db),
    nodes: await rowCount(fresh),
    migrations: await rowCount(db('schema_migrations')),
  };
}
