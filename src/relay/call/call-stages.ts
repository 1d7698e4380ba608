/**
 * The values that a call becomes on its way: `Admitted`, `Routed` for each attempt, `Answered`
 * or only `Ended` at its end. Each stage returns a new value; none is changed. Settlement, log rows and
 * `gateway explain` are derived from the last one alone.
 */

import type { Vendor } from '../../dialects/hub/extras.ts';
import type { Reasoning } from '../../dialects/hub/thinking/reasoning.ts';
import type { LoggedAttempt } from '../../domain/logs/short-facts.ts';
import type { Price } from '../../domain/pricing/price.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import type { CallTrace } from '../../observe/observer.ts';
import type { Trust } from '../../services/cache/credit-cache.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { Permit, TokenNeed } from '../../store/kv/kv.ts';
import type { HeldUnits } from '../../store/ledger/ledger-operations.ts';
import { type Attachments, NO_ATTACHMENTS } from './attachments.ts';
import type { Intent } from './call-intent.ts';
import type { Caller } from './caller.ts';
import type { Incoming } from './incoming-call.ts';
import type { RoutePlan } from './route-plan.ts';
import type { StickyAssignment } from './sticky-channel.ts';

export interface AttemptRecord extends LoggedAttempt {
  /** Why affinity chose this channel; absent when it was drawn. */
  readonly affinity?: StickyAssignment['by'];
}

/** How an attempt ended. */
export type AttemptResult = Pick<AttemptRecord, 'status' | 'code' | 'message' | 'reason'>;

export interface NamedThinking {
  readonly reasoning: Reasoning;
  readonly maxTokens?: number;
}

/** What a call has reserved of its caller's balance. */
export interface Reservation {
  readonly hold: HeldUnits | undefined;
  /** Set instead of `hold` when the account is far above the balance it needs. */
  readonly trusted: Trust | undefined;
  /** Most units that the call may cost; undefined without a limit. */
  readonly allowedUnits: number | undefined;
}

export const NOTHING_RESERVED: Reservation = {
  hold: undefined,
  trusted: undefined,
  allowedUnits: undefined,
};

/**
 * A call that may be made. What depends on the channel is that of the last attempt, and unknown
 * before the first.
 */
export interface Admitted {
  readonly incoming: Incoming;
  /** In the group that is tried now, or was tried last. */
  readonly caller: Caller;
  /** The client's request, with the output limit that the balance pays for if it is low. */
  readonly intent: Intent;
  /** Output token limit that the gateway set, instead of the client's or of none. */
  readonly cappedAt: number | undefined;
  /** Uses of the vendor's tools that the gateway allowed, instead of more. */
  readonly cappedUses: number | undefined;
  /** The model that the client asked for, if a full budget names another one that answers. */
  readonly downgradedFrom: string | undefined;
  readonly trace: CallTrace | undefined;
  /** Permit of the caps of token, user and group. */
  readonly callerPermit: Permit | undefined;
  /** Tokens that the call needs; undefined until a cap requires it. */
  readonly tokenNeed: TokenNeed | undefined;
  readonly attempts: readonly AttemptRecord[];
  readonly reservation: Reservation;
  /** The conversation that the call belongs to. */
  readonly sticky: StickyAssignment | undefined;
  readonly channel: ChannelEntry | undefined;
  readonly plan: RoutePlan | undefined;
  /** What features fetched for the upstream requests so far. */
  readonly attachments: Attachments;
  /** The channel key that was used; 0 = none. */
  readonly keyId: number;
  readonly channelPermit: Permit | undefined;
  /** '' before the first attempt. */
  readonly upstreamModel: string;
  /** Thinking settings from the suffix of the model name (`-thinking`). */
  readonly named: NamedThinking | undefined;
  /** Sent without this vendor's thinking in the history, because the upstream refused it. */
  readonly dropsThinkingOf: Vendor | undefined;
  readonly price: Price | undefined;
  readonly groupRatio: number;
  /** Multiplier of a price per call: images by size and quality, searches. */
  readonly calls: number;
}

export interface Routed extends Admitted {
  readonly channel: ChannelEntry;
  readonly plan: RoutePlan;
  readonly price: Price;
}

export function isRouted(call: Admitted): call is Routed {
  return call.channel !== undefined && call.plan !== undefined && call.price !== undefined;
}

/** How a call ended, for billing (docs/billing.md). */
export type Ending = 'answered' | 'upstream_broke' | 'client_left' | 'failed';

/** What the answer is billed by. */
export interface Billed {
  readonly usage: Usage | undefined;
  readonly usageSource: 'upstream' | 'estimated' | '';
  readonly calls: number;
  /** What the upstream reported and cannot have been used. */
  readonly disbelieved?: Usage | undefined;
  /** Images or searches that the upstream delivered, if it reported the number. */
  readonly units: number | undefined;
  /** The text of the answer, if it is logged. */
  readonly answerText: string;
}

/** A call that has ended. A failed one may have no channel. */
export interface Ended extends Admitted, Billed {
  readonly ending: Ending;
  /** Epoch ms of the first content; 0 when none arrived. */
  readonly firstContentAtMs: number;
  /**
   * The upstream continues without a connection; the poll that sees it finish settles the call
   * (relay/features/responses/background-responses.ts).
   */
  readonly inBackground?: true | undefined;
}

/** A call whose upstream answered, wholly or in part. */
export interface Answered extends Ended, Routed {
  readonly channel: ChannelEntry;
  readonly plan: RoutePlan;
  readonly price: Price;
}

type Known = Pick<Admitted, 'incoming' | 'caller' | 'intent'> & Partial<Admitted>;

/** A call of which no more than `known` is known. */
export function admitted(known: Known): Admitted {
  return {
    incoming: known.incoming,
    caller: known.caller,
    intent: known.intent,
    cappedAt: known.cappedAt,
    cappedUses: known.cappedUses,
    downgradedFrom: known.downgradedFrom,
    trace: known.trace,
    callerPermit: known.callerPermit,
    tokenNeed: known.tokenNeed,
    attempts: known.attempts ?? NO_ATTEMPTS,
    reservation: known.reservation ?? NOTHING_RESERVED,
    sticky: known.sticky,
    channel: known.channel,
    plan: known.plan,
    attachments: known.attachments ?? NO_ATTACHMENTS,
    keyId: known.keyId ?? 0,
    channelPermit: known.channelPermit,
    upstreamModel: known.upstreamModel ?? '',
    named: known.named,
    dropsThinkingOf: known.dropsThinkingOf,
    price: known.price,
    groupRatio: known.groupRatio ?? 1,
    calls: known.calls ?? 1,
  } satisfies Record<keyof Admitted, unknown>;
}

const NO_ATTEMPTS: readonly AttemptRecord[] = [];

type End = Pick<Ended, 'ending'> & Partial<Ended>;

/** The call with its end; without usage it costs nothing. */
export function ended(call: Admitted, end: End): Ended {
  return {
    usage: undefined,
    usageSource: '',
    units: undefined,
    answerText: '',
    firstContentAtMs: 0,
    ...call,
    ...end,
  };
}

/** The call with what it is billed by. */
export function answered(
  call: Routed,
  { usage, usageSource, units, calls, answerText, disbelieved }: Billed,
  { ending, firstContentAtMs }: Pick<Ended, 'ending' | 'firstContentAtMs'>,
): Answered {
  // Every field by name: new fields beside a spread cost microseconds (docs/performance.md).
  return {
    incoming: call.incoming,
    caller: call.caller,
    intent: call.intent,
    cappedAt: call.cappedAt,
    cappedUses: call.cappedUses,
    downgradedFrom: call.downgradedFrom,
    trace: call.trace,
    callerPermit: call.callerPermit,
    tokenNeed: call.tokenNeed,
    attempts: call.attempts,
    reservation: call.reservation,
    sticky: call.sticky,
    channel: call.channel,
    plan: call.plan,
    attachments: call.attachments,
    keyId: call.keyId,
    channelPermit: call.channelPermit,
    upstreamModel: call.upstreamModel,
    named: call.named,
    dropsThinkingOf: call.dropsThinkingOf,
    price: call.price,
    groupRatio: call.groupRatio,
    calls,
    ending,
    firstContentAtMs,
    usage,
    usageSource,
    units,
    answerText,
    disbelieved,
    inBackground: undefined,
  } satisfies Record<keyof Answered, unknown>;
}

/** The call, marked as continued by its upstream without a connection. */
export function inBackground(call: Ended): Ended {
  return { ...call, inBackground: true };
}

/** The attempts of an answer that broke off: the last one has failed. */
export function withBrokenLast(
  attempts: readonly AttemptRecord[],
  { status, code, message, reason }: AttemptResult,
): readonly AttemptRecord[] {
  const last = attempts.at(-1);
  if (last === undefined) return attempts;
  return attempts.with(-1, { ...last, status, code, message, ...(reason && { reason }) });
}
