/** Translates a log filter into a condition that uses the right index. */
import type { Knex } from 'knex';
import { LOG_TYPE, SPEND_TYPES } from '../../domain/logs/log-types.ts';
import { engineOf, likePattern, likePrefix } from '../sql/sql-dialect.ts';

/** One type, or the charges and refunds that make up net spend (`domain/logs/log-types.ts`). */
export type TypeFilter = number | 'spend';

/** Undefined and empty fields match everything, and so do a type and a channel of 0. */
export interface LogFilter {
  readonly userId?: number | undefined;
  readonly type?: TypeFilter | undefined;
  readonly tokenId?: number | undefined;
  /** Exact, or a pattern in which `*` matches anything, like the name of the model. */
  readonly tokenName?: string | undefined;
  readonly modelName?: string | undefined;
  readonly group?: string | undefined;
  readonly channelId?: number | undefined;
  /** Any of these. */
  readonly channelIds?: readonly number[] | undefined;
  readonly requestId?: string | undefined;
  readonly clientIp?: string | undefined;
  /** The beginning of the content, ignoring case. */
  readonly content?: string | undefined;
  /** Epoch seconds, both ends included. */
  readonly sinceSec?: number | undefined;
  readonly untilSec?: number | undefined;
  readonly afterId?: number | undefined;
  readonly upToId?: number | undefined;
  readonly ids?: readonly number[] | undefined;
}

export function isPattern(name: string): boolean {
  return name.includes('*');
}

/** Indexed columns (most indexes also include the time), most selective first. */
const INDEXED = ['request_id', 'client_ip', 'token_name', 'user_id', 'channel_id', 'model_name'];

/**
 * The rows of `logs` (or of a part of it) that match the filter. SQLite keeps no statistics of the
 * table and picks the wrong index if it has a choice; a plus before a column's name excludes that
 * column (sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_).
 */
export function filteredLogs(db: Knex, filter: LogFilter, table = 'logs'): Knex.QueryBuilder {
  const query = db(table);
  const equal = equalities(filter);
  const leading = filter.afterId === undefined ? leadingColumn(equal) : 'id';
  const plus = engineOf(db) === 'sqlite' ? '+' : '';
  const compare = (column: string, operator: string, value: number | string) => {
    const free = column === leading || (column === 'created_at' && leading !== 'id');
    query.whereRaw(`${free ? '' : plus}?? ${operator} ?`, [column, value]);
  };
  for (const [column, value] of equal) compare(column, '=', value);
  // Enables the partial index on types.
  if (leading === 'type') query.whereRaw('?? <> 2', ['type']);
  if (filter.type === 'spend') query.whereRaw(`${plus}?? in (?, ?)`, ['type', ...SPEND_TYPES]);
  if (filter.channelIds !== undefined) query.whereIn('channel_id', [...filter.channelIds]);
  // Enables the partial index on addresses.
  if (filter.clientIp) query.whereNot('client_ip', '');
  const { modelName = '', tokenName = '' } = filter;
  if (isPattern(modelName)) query.whereRaw(...likePattern('model_name', modelName));
  if (isPattern(tokenName)) query.whereRaw(...likePattern('token_name', tokenName));
  if (filter.content) query.whereRaw(...likePrefix('content', filter.content));
  if (filter.sinceSec !== undefined) compare('created_at', '>=', filter.sinceSec);
  if (filter.untilSec !== undefined) compare('created_at', '<=', filter.untilSec);
  if (filter.afterId !== undefined) compare('id', '>', filter.afterId);
  if (filter.upToId !== undefined) compare('id', '<=', filter.upToId);
  if (filter.ids !== undefined) query.whereIn('id', [...filter.ids]);
  return query;
}

/** The same condition for statistics tables, which have no misleading index on the type. */
export function whereType(query: Knex.QueryBuilder, type: TypeFilter | undefined): void {
  if (type === 'spend') query.whereIn('type', [...SPEND_TYPES]);
  else if (type) query.where('type', type);
}

interface SumExpressions {
  readonly total: Knex.Raw;
  readonly quota: Knex.Raw;
  /** The part of the amount that refunds make up. */
  readonly refunds: Knex.Raw;
}

/**
 * Count and amount of the matching rows: entries and their quota or, for net spend, calls and
 * charges minus refunds. `lines`: the column with the number of entries that a row stands for;
 * without it a row is one entry.
 */
export function sumExpressions(
  reads: Knex,
  type: TypeFilter | undefined,
  lines?: string,
): SumExpressions {
  const one = lines === undefined ? '1' : '??';
  const name = lines === undefined ? [] : [lines];
  const { consume, refund } = LOG_TYPE;
  const refunds = reads.raw('sum(case when ?? = ? then ?? else 0 end)', ['type', refund, 'quota']);
  if (type !== 'spend')
    return {
      total: reads.raw(`sum(${one})`, name),
      quota: reads.raw('sum(??)', ['quota']),
      refunds,
    };
  return {
    refunds,
    total: reads.raw(`sum(case when ?? = ? then ${one} else 0 end)`, ['type', consume, ...name]),
    quota: reads.raw('sum(case when ?? = ? then -?? else ?? end)', [
      'type',
      refund,
      'quota',
      'quota',
    ]),
  };
}

/** The known costs of the matching entries, and the net spend of those that have one. */
export function costSums(reads: Knex): Readonly<Record<'cost' | 'costed_quota', Knex.Raw>> {
  return {
    cost: reads.raw('sum(??)', ['cost']),
    costed_quota: reads.raw('sum(case when ?? is null then 0 when ?? = ? then -?? else ?? end)', [
      'cost',
      'type',
      LOG_TYPE.refund,
      'quota',
      'quota',
    ]),
  };
}

function equalities(filter: LogFilter): [column: string, value: number | string][] {
  const { modelName = '', tokenName = '' } = filter;
  const wanted = {
    request_id: filter.requestId,
    client_ip: filter.clientIp,
    token_name: isPattern(tokenName) ? '' : tokenName,
    user_id: filter.userId,
    channel_id: filter.channelId || undefined,
    model_name: isPattern(modelName) ? '' : modelName,
    type: filter.type === 'spend' ? undefined : filter.type || undefined,
    token_id: filter.tokenId,
    group: filter.group,
  };
  return Object.entries(wanted).flatMap(([column, value]) =>
    value === undefined || value === '' ? [] : [[column, value]],
  );
}

/**
 * The type has few distinct values, so its index helps only if there is no other condition, and
 * never for calls, which are nearly all entries.
 */
function leadingColumn(equal: readonly (readonly [string, unknown])[]): string {
  const indexed = equal.find(([column]) => INDEXED.includes(column));
  if (indexed !== undefined) return indexed[0];
  const [[column, value] = []] = equal;
  return equal.length === 1 && column === 'type' && value !== LOG_TYPE.consume ? 'type' : '';
}

/** The set filter fields other than type and time. */
export function filteredFields(filter: LogFilter): (keyof LogFilter)[] {
  const { type: _type, sinceSec: _since, untilSec: _until, ...rest } = filter;
  const names = Object.entries(rest).filter(([, value]) => value !== undefined && value !== '');
  return names
    .filter(([name, value]) => !(name === 'channelId' && value === 0))
    .map(([name]) => name as keyof LogFilter); // keys of the filter
}
