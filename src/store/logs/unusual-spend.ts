/** Accounts, and the site, whose net spend of the last day is several times the usual. */
import type { Knex } from 'knex';
import { hourOf } from '../../domain/logs/log-hours.ts';
import { LOG_TYPE, SPEND_TYPES } from '../../domain/logs/log-types.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { numberValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

/** The days before the last one, whose mean is the usual spend. */
const USUAL_DAYS = 7;
/** An account that spent for the first time later than this has no usual spend. */
const LEAST_DAYS = 3;

export interface UnusualSpend {
  /** Undefined for the whole site. */
  readonly userId: number | undefined;
  /** Of the last day, and per day before. */
  readonly spent: number;
  readonly usual: number;
}

export interface UnusualSpendQuery {
  readonly nowSec: number;
  readonly times: number;
  /** Smaller amounts of a day are not worth a notification. */
  readonly atLeast: number;
  readonly limit: number;
}

/** The highest spend first. */
export async function unusualSpends(
  reads: Knex,
  { nowSec, times, atLeast, limit }: UnusualSpendQuery,
): Promise<UnusualSpend[]> {
  const daySec = hourOf(nowSec) - DAY_SEC;
  const net = `case when type = ${LOG_TYPE.refund} then -quota else quota end`;
  const spent = `sum(case when hour >= ${daySec} then ${net} else 0 end)`;
  const earlier = `sum(case when hour < ${daySec} then ${net} else 0 end)`;
  const usedSec = `(${daySec} - min(hour))`;
  const rows: Row[] = await reads('log_hours')
    .whereIn('scope', ['user', 'site'])
    .whereIn('type', [...SPEND_TYPES])
    .where('hour', '>=', daySec - USUAL_DAYS * DAY_SEC)
    .groupBy('scope', 'subject')
    .havingRaw(`min(hour) <= ${daySec - LEAST_DAYS * DAY_SEC}`)
    .havingRaw(`${earlier} > 0`)
    .havingRaw(`${spent} >= ?`, [atLeast])
    .havingRaw(`${spent} * ${usedSec} >= ${earlier} * ?`, [times * DAY_SEC])
    .orderByRaw(`${spent} desc`)
    .limit(limit)
    .select('scope', 'subject', {
      spent: reads.raw(spent),
      earlier: reads.raw(earlier),
      used_sec: reads.raw(usedSec),
    });
  return rows.map((row) => ({
    userId: row.scope === 'site' ? undefined : numberValue(row.subject),
    spent: numberValue(row.spent),
    usual: Math.round((numberValue(row.earlier) * DAY_SEC) / numberValue(row.used_sec)),
  }));
}
