/**
 * A call that may be made, with its reservation and the route of its last attempt beside it. No
 * stage changes it: each returns a new value.
 */
import type { CallTrace } from '../../observe/observer.ts';
import type { Permit, TokenNeed } from '../../store/kv/kv.ts';
import { type Attachments, NO_ATTACHMENTS } from './attachments.ts';
import type { AttemptRecord } from './attempt-record.ts';
import type { Intent } from './call-intent.ts';
import type { Caller } from './caller.ts';
import type { Incoming } from './incoming-call.ts';
import { NOTHING_RESERVED, type Reservation } from './reservation.ts';
import { type FoundRoute, NO_ROUTE, type Route } from './route.ts';
import type { StickyAssignment } from './sticky-channel.ts';

/** A call that may be made. */
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
  /** The conversation that the call belongs to. */
  readonly sticky: StickyAssignment | undefined;
  readonly attempts: readonly AttemptRecord[];
  readonly reservation: Reservation;
  /** Of the last attempt. */
  readonly route: Route;
  /** What features fetched for the upstream requests so far. */
  readonly attachments: Attachments;
  /** Multiplier of a price per call: images by size and quality, searches. */
  readonly calls: number;
}

export interface Routed extends Admitted {
  readonly route: FoundRoute;
}

export function isRouted(call: Admitted): call is Routed {
  const { channel, plan, price } = call.route;
  return channel !== undefined && plan !== undefined && price !== undefined;
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
    sticky: known.sticky,
    attempts: known.attempts ?? NO_ATTEMPTS,
    reservation: known.reservation ?? NOTHING_RESERVED,
    route: known.route ?? NO_ROUTE,
    attachments: known.attachments ?? NO_ATTACHMENTS,
    calls: known.calls ?? 1,
  } satisfies Record<keyof Admitted, unknown>;
}

const NO_ATTEMPTS: readonly AttemptRecord[] = [];
