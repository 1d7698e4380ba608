/** What pages and sums of the log must be, from the entries themselves. */
import type { LogFilter } from '../../../src/store/logs/log-filter.ts';
import type { LogRow } from '../../../src/store/logs/log-row.ts';
import type { LogBreakdown } from '../../../src/store/logs/log-stats.ts';
import { DAY } from './log-entries.ts';

export function admits(filter: LogFilter, row: LogRow): boolean {
  return (
    (filter.type === undefined ||
      (filter.type === 'spend' ? row.type === 2 || row.type === 7 : row.type === filter.type)) &&
    (filter.userId === undefined || row.user_id === filter.userId) &&
    isNamed(filter.tokenName, row.token_name) &&
    (filter.channelId === undefined || row.channel_id === filter.channelId) &&
    (filter.channelIds === undefined || filter.channelIds.includes(row.channel_id)) &&
    (filter.group === undefined || row.group === filter.group) &&
    (filter.clientIp === undefined || row.client_ip === filter.clientIp) &&
    (filter.requestId === undefined || row.request_id === filter.requestId) &&
    isNamed(filter.modelName, row.model_name) &&
    row.created_at >= (filter.sinceSec ?? 0) &&
    row.created_at <= (filter.untilSec ?? Number.POSITIVE_INFINITY)
  );
}

/** Exact, or a pattern in which `*` matches anything. */
function isNamed(wanted: string | undefined, name: string): boolean {
  if (wanted?.includes('*')) return new RegExp(`^${wanted.replaceAll('*', '.*')}$`, 'i').test(name);
  return wanted === undefined || wanted === name;
}

const PART_OF: Readonly<Record<LogBreakdown, (row: LogRow) => string>> = {
  model: (row) => row.model_name,
  day: (row) => String(row.created_at - (row.created_at % DAY)),
  user: (row) => String(row.user_id),
  channel: (row) => String(row.channel_id),
  token: (row) => row.token_name,
};
export const BREAKDOWNS = ['model', 'day', 'user', 'channel', 'token'] as const;

/** With `spend` calls count, and refunds are subtracted. */
export function sumOf(rows: readonly LogRow[], { type }: LogFilter) {
  const total = (of: (row: LogRow) => number) => rows.reduce((sum, row) => sum + of(row), 0);
  const isNet = type === 'spend';
  return {
    count: isNet ? rows.filter((row) => row.type === 2).length : rows.length,
    quota: total((row) => (isNet && row.type === 7 ? -row.quota : row.quota)),
    refunds: total((row) => (row.type === 7 ? row.quota : 0)),
    prompt_tokens: total((row) => row.prompt_tokens),
    completion_tokens: total((row) => row.completion_tokens),
    cost: total((row) => row.cost ?? 0),
    costed_quota: total((row) => (row.cost === null ? 0 : row.quota)),
  };
}

/** The sum of each model, day, user, channel or token. */
export function sumsBy(by: LogBreakdown, rows: readonly LogRow[], filter: LogFilter) {
  const partOf = PART_OF[by];
  const parts = [...new Set(rows.map(partOf))];
  const sumOfPart = (part: string) =>
    sumOf(
      rows.filter((row) => partOf(row) === part),
      filter,
    );
  return Object.fromEntries(parts.map((part) => [part, sumOfPart(part)]));
}
