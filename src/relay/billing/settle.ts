/**
 * The last stage: charges the call and writes its log row in one transaction, exactly once.
 * Implements the table in docs/billing.md ("What a call costs, by outcome").
 */
import { setTimeout as pause } from 'node:timers/promises';
import { nowSec } from '../../context.ts';
import { type Charge, chargeOf } from '../../domain/pricing/charge.ts';
import { hasOutcome } from '../../observe/observer.ts';
import type { TokenEntry } from '../../services/cache/caller-cache.ts';
import { attemptOutcome } from '../../services/channels/channel-outcomes.ts';
import type { Entry } from '../../store/ledger/ledger-operations.ts';
import type { LogRow } from '../../store/logs/log-row.ts';
import { releasePermits } from '../admission/caps.ts';
import type { CallRecord } from '../call/call-record.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import { excessOverAllowed, logRows } from './call-log-rows.ts';

/** The part of the relay that settlement needs; background jobs have it too. */
export type SettlementDeps = Pick<Relay, 'ctx' | 'prices'>;

const TOUCH_EVERY_SEC = 60;

/**
 * Releases the hold and posts the charge, if there is one. Resolves after the commit, so that the
 * end of an answer can wait for it. A second settlement of the same call waits for the first and
 * does nothing else.
 */
export function settle(relay: Relay, record: CallRecord): Promise<void> {
  record.settlement ??= settleOnce(relay, record);
  return record.settlement;
}

async function settleOnce(relay: Relay, record: CallRecord): Promise<void> {
  recordOutcomes(relay, record);
  const charge = chargeFor(relay, record);
  let isFirst = true;
  let posted = 0;
  try {
    isFirst = await post(relay, record, charge);
    if (isFirst) posted = charge?.units ?? 0;
  } finally {
    if (isFirst) relay.ctx.observer.callEnded(record, posted, relay.ctx.now());
    const { trusted } = record;
    if (trusted !== undefined) relay.credit.release(trusted, charge?.units ?? 0);
    record.trusted = undefined;
    const releasing = releasePermits(relay, record);
    if (releasing !== undefined) await releasing;
  }
}

/** Like `settle`, for a call that another process may have started. */
export async function settleDetached(deps: SettlementDeps, record: CallRecord): Promise<void> {
  const charge = chargeFor(deps, record);
  const isFirst = await post(deps, record, charge);
  if (isFirst) deps.ctx.observer.callEnded(record, charge?.units ?? 0, deps.ctx.now());
}

/** False for a call that another process has settled. */
async function post(
  deps: SettlementDeps,
  record: CallRecord,
  charge: Charge | undefined,
): Promise<boolean> {
  const { caller, incoming, inBackground } = record;
  const logs = logsIfPossible(deps, record, charge);
  const hasNothing = charge === undefined && record.hold === undefined && logs.length === 0;
  if (hasNothing && !inBackground) return true;
  const entry = charge === undefined ? undefined : ledgerEntry(deps, record, charge);
  const outcome = await deps.ctx.ledger.close({
    kind: 'close',
    requestId: incoming.requestId,
    hold: record.hold,
    ...(entry === undefined ? {} : { charge: entry, ...tokenUse(deps, caller.token) }),
    warnBelow: caller.user.warnBelow ?? deps.ctx.options().get('QuotaRemindThreshold'),
    logs,
    ...(inBackground ? { inBackground } : {}),
  });
  // Only a background answer can be settled elsewhere. For other calls a repeat is their own commit
  // that was not confirmed.
  const isFirst = outcome !== 'repeat' || !inBackground;
  if (isFirst && charge !== undefined && !caller.token.unlimited)
    caller.token.remainView -= charge.units;
  return isFirst;
}

/** A row that cannot be built must not prevent the charge or the release of the hold. */
function logsIfPossible(
  deps: SettlementDeps,
  record: CallRecord,
  charge: Charge | undefined,
): LogRow[] {
  try {
    return logRows(deps, record, charge);
  } catch (error) {
    const { requestId } = record.incoming;
    deps.ctx.log.error(
      { err: error, request_id: requestId },
      'the log entries of a call could not be built',
    );
    return [];
  }
}

/** A token's last use is only shown to users, so it is updated once a minute. */
export function tokenUse(
  { ctx }: Pick<Relay, 'ctx'>,
  token: TokenEntry,
): { tokenUsedAtSec?: number } {
  const atSec = nowSec(ctx);
  if (atSec - token.usedViewSec < TOUCH_EVERY_SEC) return {};
  token.usedViewSec = atSec;
  return { tokenUsedAtSec: atSec };
}

/** Records the outcome of each attempt in the channel history. */
export function recordOutcomes({ ctx, outcomes }: Relay, record: CallRecord): void {
  const { attempts, intent } = record;
  if (!hasOutcome(record)) return;
  ctx.observer.attemptsEnded(record);
  const call = { isStream: intent.stream, atMs: ctx.now() };
  for (const attempt of attempts) {
    const outcome = attemptOutcome(attempt, call);
    if (outcome !== undefined) outcomes.add(outcome);
  }
}

/** Registers work that shutdown waits for. */
export function trackInFlight<T>(relay: Relay, work: Promise<T>): Promise<T> {
  const { inFlight } = relay;
  inFlight.add(work);
  const hasEnded = () => void inFlight.delete(work);
  work.then(hasEnded, hasEnded);
  return work;
}

const FAILED_TIMEOUT_MS = 1_000;

/**
 * Waits briefly for the settlement of a failed call, which owes nothing; if the database is down,
 * the caller should not wait for it. The settlement continues, and shutdown waits for it.
 */
export async function settleWithin<T>(relay: Relay, settlement: Promise<T>): Promise<void> {
  const over = new AbortController();
  // Settlement errors are logged elsewhere; the caller gets the call's own error.
  const settled = trackInFlight(relay, settlement).catch(() => undefined);
  const timeout = pause(FAILED_TIMEOUT_MS, undefined, { signal: over.signal, ref: false });
  await Promise.race([settled, timeout.catch(() => undefined)]);
  over.abort();
}

/** Undefined when this ending costs nothing. */
function chargeFor(deps: SettlementDeps, record: CallRecord): Charge | undefined {
  if (record.ending === 'failed' || record.price === undefined || record.usage === undefined)
    return undefined;
  const { price, groupRatio, usage, calls } = record;
  return chargeOf(price, groupRatio, usage, deps.prices().quotaPerUnit, calls);
}

function ledgerEntry({ ctx }: SettlementDeps, record: CallRecord, charge: Charge): Entry {
  const { caller, incoming } = record;
  return {
    key: `call:${incoming.requestId}`,
    cause: 'charge',
    userId: caller.user.id,
    tokenId: caller.token.id,
    channelId: record.channel?.id ?? 0,
    userUnits: -charge.units,
    // Playground calls have no token.
    tokenUnits: caller.token.id === 0 ? 0 : -charge.units,
    channelUnits: charge.units,
    detail: JSON.stringify({
      model: record.intent.model,
      ending: record.ending,
      usage_source: record.usageSource,
      exact_units: charge.exactUnits,
      held: record.hold?.userUnits ?? 0,
      ...excessOverAllowed(record, charge),
    }),
    createdAtSec: nowSec(ctx),
  };
}
