/**
 * The last stage: what the call costs, written with its log row in one transaction, once. The
 * table in docs/billing.md ("What a call costs, by outcome") is this file in words.
 */
import { nowSec } from '../context.ts';
import { type Charge, chargeOf } from '../domain/charge.ts';
import type { TokenEntry } from '../services/views/callers.ts';
import type { Entry } from '../store/ledger.ts';
import type { LogRow } from '../store/logs.ts';
import { logRows } from './log-rows.ts';
import type { CallRecord } from './record.ts';
import type { Relay } from './relay-context.ts';

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
