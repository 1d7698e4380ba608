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
import type { Ended } from '../call/call-stages.ts';
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
  call: Ended,
): Promise<void> {
  recordOutcomes(relay, call);
  const charge = chargeFor(relay, call);
  let isFirst = true;
  let posted = 0;
  try {
    isFirst = await post(relay, call, charge);
    if (isFirst) posted = charge?.units ?? 0;
  } finally {
    if (isFirst) relay.ctx.observer.callEnded(call, posted, relay.ctx.now());
    const { trusted } = call.reservation;
    if (trusted !== undefined)
      relay.credit.release(trusted, charge && usedBy(charge.units, call.usage));
    await releasePermits(relay, call);
  }
}

/** Like `settle`, for a call that another process may have started. */
export async function settleDetached(deps: SettlementDeps, call: Ended): Promise<void> {
  const charge = chargeFor(deps, call);
  const isFirst = await post(deps, call, charge);
  if (isFirst) deps.ctx.observer.callEnded(call, charge?.units ?? 0, deps.ctx.now());
}

/** False for a call that another process has settled. */
async function post(
  deps: SettlementDeps,
  call: Ended,
  charge: Charge | undefined,
): Promise<boolean> {
  const { caller, incoming, inBackground, reservation } = call;
  const logs = logsIfPossible(deps, call, charge);
  const { hold } = reservation;
  const hasNothing = charge === undefined && hold === undefined && logs.length === 0;
  if (hasNothing && !inBackground) return true;
  const entry = charge === undefined ? undefined : ledgerEntry(deps, call, charge);
  const outcome = await deps.ctx.ledger.close({
    kind: 'close',
    requestId: incoming.requestId,
    hold,
    ...(entry === undefined ? {} : { charge: entry, ...tokenUse(deps, caller.token) }),
    warnBelow: caller.user.warnBelow ?? deps.ctx.options().get('QuotaRemindThreshold'),
    logs,
    ...(inBackground ? { inBackground } : {}),
  });
  // Only a background answer can be settled elsewhere. For other calls a repeat is their own commit
  // that was not confirmed.
  const isFirst = outcome !== 'repeat' || !inBackground;
  if (isFirst && charge !== undefined) {
    caller.user.freeView -= charge.units;
    if (!caller.token.unlimited) caller.token.remainView -= charge.units;
  }
  return isFirst;
}

/** A row that cannot be built must not prevent the charge or the release of the hold. */
function logsIfPossible(deps: SettlementDeps, call: Ended, charge: Charge | undefined): LogRow[] {
  try {
    return logRows(deps, call, charge);
  } catch (error) {
    const { requestId } = call.incoming;
    deps.ctx.log.error(
      { err: error, request_id: requestId },
      'the log entries of a call could not be built',
    );
    return [];
  }
}

/** A token's last use is only shown to users, so it is updated once a minute. */
export function tokenUse({ ctx }: Ports<'ctx'>, token: TokenEntry): { tokenUsedAtSec?: number } {
  const atSec = nowSec(ctx);
  if (atSec - token.usedViewSec < TOUCH_EVERY_SEC) return {};
  token.usedViewSec = atSec;
  return { tokenUsedAtSec: atSec };
}

/** Records the outcome of each attempt in the channel history. */
export function recordOutcomes({ ctx, outcomes }: Ports<'ctx' | 'outcomes'>, call: Ended): void {
  const { attempts, intent } = call;
  if (!hasOutcome(call)) return;
  ctx.observer.attemptsEnded(call);
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
function chargeFor(deps: SettlementDeps, call: Ended): Charge | undefined {
  if (call.ending === 'failed' || call.price === undefined || call.usage === undefined)
    return undefined;
  const { price, groupRatio, usage, calls } = call;
  const further = furtherOf(deps, call);
  return chargeOf(price, groupRatio, usage, deps.prices().quotaPerUnit, calls, further);
}

function ledgerEntry({ ctx }: SettlementDeps, call: Ended, charge: Charge): Entry {
  const { caller, incoming } = call;
  return {
    key: `call:${incoming.requestId}`,
    cause: 'charge',
    userId: caller.user.id,
    tokenId: caller.token.id,
    channelId: call.channel?.id ?? 0,
    userUnits: -charge.units,
    // Playground calls have no token.
    tokenUnits: caller.token.id === 0 ? 0 : -charge.units,
    channelUnits: charge.units,
    windows: windowsToCharge(windowsOf(call.reservation), usedBy(charge.units, call.usage)),
    detail: JSON.stringify({
      model: call.intent.model,
      ending: call.ending,
      usage_source: call.usageSource,
      exact_units: charge.exactUnits,
      held: call.reservation.hold?.userUnits ?? 0,
      ...excessOverAllowed(call.reservation, charge),
    }),
    createdAtSec: nowSec(ctx),
  };
}
