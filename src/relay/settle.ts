/**
 * The last stage: what the call costs, written with its log row in one transaction, once. The
 * table in docs/billing.md ("What a call costs, by outcome") is this file in words.
 */
import { nowSec } from '../context.ts';
import { LOG_TYPE } from '../domain/log-types.ts';
import { type Charge, chargeOf, type Price } from '../domain/pricing.ts';
import { storable } from '../domain/storable-text.ts';
import { emptyUsage, totalInput, totalOutput, type Usage } from '../domain/usage.ts';
import type { TokenEntry } from '../services/views/callers.ts';
import type { Entry } from '../store/ledger.ts';
import type { LogRow } from '../store/logs.ts';
import type { AttemptRecord, CallRecord } from './record.ts';
import type { Relay } from './relay-context.ts';

/** Chat content kept in a log row, when the operator asked for it. */
const MAX_LOGGED_TEXT = 64 * 1024;
const TOUCH_EVERY_SEC = 60;

/**
 * Releases the hold and, when the call is to be paid, posts the charge. Resolves after the commit,
 * so that the end of an answer can wait for it. A second settlement of the same call does nothing.
 */
export async function settle(relay: Relay, record: CallRecord): Promise<void> {
  const charge = chargeFor(relay, record);
  try {
    await write(relay, record, charge);
  } finally {
    const { trusted } = record;
    if (trusted !== undefined)
      relay.credit.release(trusted.spender, trusted.units, charge?.units ?? 0);
    record.trusted = undefined;
  }
}

async function write(relay: Relay, record: CallRecord, charge: Charge | undefined): Promise<void> {
  const { caller, incoming } = record;
  const logs = logsIfPossible(relay, record, charge);
  if (charge === undefined && record.hold === undefined && logs.length === 0) return;
  const entry = charge === undefined ? undefined : ledgerEntry(relay, record, charge);
  const outcome = await relay.ctx.books.close({
    kind: 'close',
    requestId: incoming.requestId,
    hadHold: record.hold !== undefined,
    ...(entry === undefined ? {} : { charge: entry, ...tokenUse(relay, caller.token) }),
    logs,
  });
  if (outcome === 'done' && charge !== undefined && !caller.token.unlimited) {
    caller.token.remainView -= charge.units;
  }
}

/** A row that cannot be built must not keep the charge from the books or the hold open. */
function logsIfPossible(relay: Relay, record: CallRecord, charge: Charge | undefined): LogRow[] {
  try {
    return logRows(relay, record, charge);
  } catch (error) {
    const { requestId } = record.incoming;
    relay.ctx.log.error({ err: error, requestId }, 'the log of a call could not be built');
    return [];
  }
}

/** A token's time of last use is for people: once a minute is often enough. */
function tokenUse(relay: Relay, token: TokenEntry): { tokenUsedAtSec?: number } {
  const atSec = nowSec(relay.ctx);
  if (atSec - token.usedViewSec < TOUCH_EVERY_SEC) return {};
  token.usedViewSec = atSec;
  return { tokenUsedAtSec: atSec };
}

/** Keeps the promise where shutdown waits for it. */
export async function track<T>(relay: Relay, work: Promise<T>): Promise<T> {
  relay.inFlight.add(work);
  try {
    return await work;
  } finally {
    relay.inFlight.delete(work);
  }
}

/** Undefined: this ending costs nothing. */
function chargeFor(relay: Relay, record: CallRecord): Charge | undefined {
  if (record.ending === 'failed' || record.price === undefined || record.usage === undefined)
    return undefined;
  return chargeOf(record.price, record.groupRatio, record.usage, relay.prices().quotaPerUnit);
}

function ledgerEntry(relay: Relay, record: CallRecord, charge: Charge): Entry {
  const { caller, incoming } = record;
  return {
    key: `call:${incoming.requestId}`,
    cause: 'charge',
    userId: caller.user.id,
    tokenId: caller.token.id,
    channelId: record.channel?.id ?? 0,
    userUnits: -charge.units,
    tokenUnits: -charge.units,
    channelUnits: charge.units,
    detail: JSON.stringify({
      model: record.intent.model,
      ending: record.ending,
      usage_source: record.usageSource,
      exact_units: charge.exactUnits,
      held: record.hold?.userUnits ?? 0,
    }),
    createdAtSec: nowSec(relay.ctx),
  };
}

function logRows(relay: Relay, record: CallRecord, charge: Charge | undefined): LogRow[] {
  const options = relay.ctx.options();
  const rows: LogRow[] = [];
  if (options.get('LogErrorEnabled')) {
    for (const attempt of record.attempts) {
      if (attempt.code !== '') rows.push(errorRow(relay, record, attempt));
    }
  }
  if (charge !== undefined && options.get('LogConsumeEnabled'))
    rows.push(consumeRow(relay, record, charge));
  return rows;
}

function consumeRow(relay: Relay, record: CallRecord, charge: Charge): LogRow {
  const usage = record.usage ?? emptyUsage();
  const isEmpty = totalInput(usage) + totalOutput(usage) === 0;
  return {
    ...commonRow(relay, record),
    type: LOG_TYPE.consume,
    content: isEmpty ? 'no tokens were reported or delivered; possible upstream timeout' : '',
    quota: charge.units,
    prompt_tokens: totalInput(usage),
    completion_tokens: totalOutput(usage),
    usage_source: record.usageSource,
    other: JSON.stringify({
      ...priceFields(record.price, record.groupRatio),
      ...usageFields(usage),
      ...callFields(record),
      ...contentFields(relay, record),
      exact_units: charge.exactUnits,
      admin_info: adminInfo(record),
    }),
  };
}

function errorRow(relay: Relay, record: CallRecord, attempt: AttemptRecord): LogRow {
  return {
    ...commonRow(relay, record),
    type: LOG_TYPE.error,
    content: storable(attempt.message),
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    usage_source: '',
    channel_id: attempt.channel_id,
    use_time: Math.round(attempt.duration_ms / 1000),
    use_time_ms: attempt.duration_ms,
    other: JSON.stringify({
      error_type: 'upstream_error',
      error_code: storable(attempt.code),
      status_code: attempt.status,
      channel_id: attempt.channel_id,
      channel_name: attempt.channel_name,
      channel_type: record.channel?.type ?? 0,
      ...callFields(record),
      admin_info: adminInfo(record),
    }),
  };
}

function commonRow(relay: Relay, record: CallRecord) {
  const { caller, incoming, intent } = record;
  const tookMs = Math.max(0, relay.ctx.now() - incoming.receivedAtMs);
  return {
    request_id: incoming.requestId,
    user_id: caller.user.id,
    created_at: nowSec(relay.ctx),
    username: caller.user.username,
    token_name: caller.token.name,
    token_id: caller.token.id,
    model_name: storable(intent.model).slice(0, 255),
    use_time: Math.round(tookMs / 1000),
    use_time_ms: tookMs,
    first_token_ms:
      record.firstContentAtMs === 0 ? 0 : record.firstContentAtMs - incoming.receivedAtMs,
    is_stream: intent.stream,
    channel_id: record.channel?.id ?? 0,
    group: caller.group,
    client_ip: caller.user.showsAddressInLogs ? incoming.address : '',
  };
}

function priceFields(price: Price | undefined, groupRatio: number) {
  if (price === undefined) return { group_ratio: groupRatio };
  const rule = { group_ratio: groupRatio, price_name: price.name, price_rule: price.rule };
  if (price.kind === 'per_call') return { ...rule, model_price: price.model_price };
  return {
    ...rule,
    model_price: -1,
    model_ratio: price.model_ratio,
    completion_ratio: price.completion_ratio,
    cache_ratio: price.cache_ratio,
    cache_creation_ratio: price.cache_creation_ratio,
  };
}

function usageFields(usage: Usage) {
  const written = usage.cacheWrite + usage.cacheWrite5m + usage.cacheWrite1h;
  return {
    cache_tokens: usage.cacheRead,
    ...(written > 0 ? { cache_creation_tokens: written } : {}),
    usage: spoken(usage),
  };
}

/** Only the kinds that occurred. */
function spoken(usage: Usage): Partial<Usage> {
  const found: Record<string, number> = {};
  for (const kind in usage) {
    const tokens = usage[kind as keyof Usage]; // the loop's own key
    if (tokens !== 0) found[kind] = tokens;
  }
  return found;
}

function callFields(record: CallRecord) {
  const { incoming, intent } = record;
  const isMapped = record.upstreamModel !== '' && record.upstreamModel !== intent.model;
  return {
    endpoint: incoming.endpoint,
    ending: record.ending,
    frt: record.firstContentAtMs === 0 ? -1000 : record.firstContentAtMs - incoming.receivedAtMs,
    held: record.hold?.userUnits ?? 0,
    ...(isMapped ? { is_model_mapped: true, upstream_model_name: record.upstreamModel } : {}),
    ...(typeof intent.body.reasoning_effort === 'string'
      ? { reasoning_effort: intent.body.reasoning_effort }
      : {}),
  };
}

function adminInfo(record: CallRecord) {
  return {
    use_channel: record.attempts.map((attempt) => String(attempt.channel_id)),
    attempts: record.attempts,
  };
}

function contentFields(relay: Relay, record: CallRecord) {
  if (!relay.ctx.options().get('LogChatContentEnabled')) return {};
  const { messages, prompt, input } = record.intent.body;
  const list = Array.isArray(messages) ? messages : [];
  const asked = list.length > 0 ? list.at(-1) : (prompt ?? input ?? '');
  return {
    input_content: bounded(asked),
    ...(list.length > 1 ? { context: bounded(list.slice(0, -1)) } : {}),
    output_content: bounded(record.answerText),
  };
}

/** Text for a log row: inline files are cut out, and the whole is bounded. */
function bounded(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const withoutFiles = text.replaceAll(/data:[\w./+-]+;base64,[A-Za-z0-9+/=]+/g, 'data:[…]');
  return storable(withoutFiles.slice(0, MAX_LOGGED_TEXT));
}
