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
import type { TaskSettlement } from '../../store/tables/task-rows.ts';
import type { Ended } from '../call/call-end.ts';
import type { Ports } from '../call/relay-ports.ts';
import { excessOverAllowed, logRows } from './call-log-rows.ts';
import { usedBy, windowsOf, windowsToCharge } from './counted-budgets.ts';
import { furtherOf } from './other-models.ts';
import { releasePermits } from './release-permits.ts';

/** The part of the relay that settlement needs; background jobs have it too. */
export type SettlementDeps = Ports<'ctx' | 'prices'>;

const TOUCH_EVERY_SEC = 60;

/**
 * Releases the hold and posts the charge, if there is one; once per call. Resolves after the
 * commit, so that the end of an answer can wait for it.
 */
export async function settle(
  relay: Ports<'credit' | 'ctx' | 'outcomes' | 'permits' | 'prices'>,
  end: Ended,
): Promise<void> {
  recordOutcomes(relay, end);
  const charge = chargeFor(relay, end);
  let isFirst = true;
  let posted = 0;
  try {
    isFirst = await postCharge(relay, end, charge);
    if (isFirst) posted = charge?.units ?? 0;
  } finally {
    if (isFirst) relay.ctx.observer.callEnded(end, posted, relay.ctx.now());
    const { trusted } = end.call.reservation;
    if (trusted !== undefined)
      relay.credit.release(trusted, charge && usedBy(charge.units, end.usage));
    await releasePermits(relay, end);
  }
}

/** Like `settle`, for a call that another process may have started. */
export async function settleDetached(deps: SettlementDeps, end: Ended): Promise<void> {
  const charge = chargeFor(deps, end);
  const isFirst = await postCharge(deps, end, charge);
  if (isFirst) deps.ctx.observer.callEnded(end, charge?.units ?? 0, deps.ctx.now());
}

function postCharge(
  deps: SettlementDeps,
  end: Ended,
  charge: Charge | undefined,
): Promise<boolean> {
  const entry = charge && ledgerEntry(deps, end, charge, detailOf(end, charge));
  return closeCall(deps, end, {
    entry,
    logs: logsIfPossible(deps, end, charge),
    task: undefined,
  });
}

interface Posting {
  readonly entry: Entry | undefined;
  readonly logs: readonly LogRow[];
  /** The task that the call submitted. */
  readonly task: TaskSettlement | undefined;
}

/** False for a call that another process has settled. */
export async function closeCall(
  deps: SettlementDeps,
  end: Ended,
  { entry, logs, task }: Posting,
): Promise<boolean> {
  const { inBackground, call } = end;
  const { caller, incoming, reservation } = call;
  const { hold } = reservation;
  const hasNothing = entry === undefined && hold === undefined && logs.length === 0;
  if (hasNothing && !inBackground && task === undefined) return true;
  const outcome = await deps.ctx.ledger.close({
    kind: 'close',
    requestId: incoming.requestId,
    hold,
    ...(entry === undefined ? {} : { charge: entry, ...tokenUse(deps, caller.token) }),
    warnBelow: caller.user.warnBelow ?? deps.ctx.options().get('QuotaRemindThreshold'),
    logs,
    task,
    ...(inBackground ? { inBackground } : {}),
  });
  // Only a background answer can be settled elsewhere. For other calls a repeat is their own commit
  // that was not confirmed.
  const isFirst = outcome !== 'repeat' || !inBackground;
  if (isFirst && entry !== undefined) {
    caller.user.freeView += entry.userUnits;
    if (!caller.token.unlimited) caller.token.remainView += entry.userUnits;
  }
  return isFirst;
}

/** A row that cannot be built must not prevent the charge or the release of the hold. */
function logsIfPossible(deps: SettlementDeps, end: Ended, charge: Charge | undefined): LogRow[] {
  try {
    return logRows(deps, end, charge);
  } catch (error) {
    const { requestId } = end.call.incoming;
    deps.ctx.log.error(
      { err: error, request_id: requestId },
      'the log entries of a call could not be built',
    );
    return [];
  }
}

/** A token's last use is only shown to users, so it is updated once a minute. */
function tokenUse({ ctx }: Ports<'ctx'>, token: TokenEntry): { tokenUsedAtSec?: number } {
  const atSec = nowSec(ctx);
  if (atSec - token.usedViewSec < TOUCH_EVERY_SEC) return {};
  token.usedViewSec = atSec;
  return { tokenUsedAtSec: atSec };
}

/** Records the outcome of each attempt in the channel history. */
export function recordOutcomes(relay: Ports<'ctx' | 'outcomes'>, end: Ended): void {
  if (!hasOutcome(end)) return;
  relay.ctx.observer.attemptsEnded(end);
  addOutcomes(relay, end);
}

export function addOutcomes(
  { ctx, outcomes }: Ports<'ctx' | 'outcomes'>,
  { call: { attempts, intent } }: Ended,
): void {
  const facts = { isStream: intent.stream, atMs: ctx.now() };
  for (const attempt of attempts) {
    const outcome = attemptOutcome(ctx, attempt, facts);
    if (outcome !== undefined) outcomes.add(outcome);
  }
}

/** Shutdown waits until the returned function is called. */
export function trackStream(relay: Ports<'ctx' | 'inFlight'>): () => void {
  const end = relay.inFlight.begin();
  relay.ctx.observer.streamStarted();
  return () => {
    relay.ctx.observer.streamEnded();
    end();
  };
}

const FAILED_TIMEOUT_MS = 1_000;

/**
 * Waits briefly for the settlement of a failed call, which owes nothing; if the database is down,
 * the caller should not wait for it. The settlement continues, and shutdown waits for it.
 */
export async function settleWithin<T>(
  relay: Ports<'inFlight'>,
  settlement: Promise<T>,
): Promise<void> {
  const over = new AbortController();
  // Settlement errors are logged elsewhere; the caller gets the call's own error.
  const settled = relay.inFlight.track(settlement).catch(() => undefined);
  const timeout = pause(FAILED_TIMEOUT_MS, undefined, { signal: over.signal, ref: false });
  await Promise.race([settled, timeout.catch(() => undefined)]);
  over.abort();
}

/** Undefined when this ending costs nothing. */
export function chargeFor(deps: SettlementDeps, end: Ended): Charge | undefined {
  const { usage, calls } = end;
  const { price, groupRatio } = end.call.route;
  if (end.ending === 'failed' || price === undefined || usage === undefined) return undefined;
  const further = furtherOf(deps, end);
  return chargeOf(price, groupRatio, usage, deps.prices().quotaPerUnit, calls, further);
}

export function ledgerEntry(
  { ctx }: SettlementDeps,
  end: Ended,
  charge: Charge,
  detail: string,
): Entry {
  const { call } = end;
  const { caller, incoming } = call;
  return {
    key: `call:${incoming.requestId}`,
    cause: 'charge',
    userId: caller.user.id,
    tokenId: caller.token.id,
    channelId: call.route.channel?.id ?? 0,
    userUnits: -charge.units,
    // Playground calls have no token.
    tokenUnits: caller.token.id === 0 ? 0 : -charge.units,
    channelUnits: charge.units,
    windows: windowsToCharge(windowsOf(call.reservation), usedBy(charge.units, end.usage)),
    detail,
    createdAtSec: nowSec(ctx),
  };
}

function detailOf({ call, ending, usageSource }: Ended, charge: Charge): string {
  return JSON.stringify({
    model: call.intent.model,
    ending,
    usage_source: usageSource,
    exact_units: charge.exactUnits,
    held: call.reservation.hold?.userUnits ?? 0,
    ...excessOverAllowed(call.reservation, charge),
  });
}
