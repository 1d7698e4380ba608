/** Log entries for tests, written as the gateway writes them. */
import type { Context } from '../../../src/context.ts';
import { aggregateLogs } from '../../../src/services/logs/hourly-aggregates.ts';
import { inTransaction } from '../../../src/store/connection/transaction.ts';
import type { LogRow } from '../../../src/store/logs/log-row.ts';
import { insertLogs } from '../../../src/store/logs/log-rows.ts';
import type { LocalSite } from '../../support/local-site.ts';

/** 21 November 2026, noon UTC: the clock of the tests. */
export const NOON = Date.UTC(2026, 10, 21, 12) / 1000;
export const HOUR = 3600;
export const DAY = 86_400;

/** A call of user 1 at noon by default. */
export function anEntry(fields: Partial<LogRow> = {}): LogRow {
  return {
    request_id: '',
    user_id: 1,
    created_at: NOON,
    type: 2,
    content: '',
    username: 'ann',
    token_name: 'ci',
    model_name: 'gpt-4o',
    quota: 0,
    cost: null,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 1,
    use_time_ms: 1200,
    first_token_ms: 300,
    is_stream: true,
    channel_id: 1,
    token_id: 1,
    group: 'default',
    client_ip: '',
    usage_source: 'upstream',
    other: '',
    ...fields,
  };
}

export async function writeEntries(ctx: Context, entries: readonly LogRow[]): Promise<void> {
  await inTransaction(ctx, (ctx) => insertLogs(ctx.db, entries));
}

/** Aggregates all entries: databases other than SQLite trust an id only after a minute. */
export async function aggregateAll({ ctx, pass }: Pick<LocalSite, 'ctx' | 'pass'>): Promise<void> {
  await aggregateLogs(ctx);
  pass(61);
  await aggregateLogs(ctx);
  pass(61);
  await aggregateLogs(ctx);
  pass(-122);
}
