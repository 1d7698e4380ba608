import type { Routed } from '../call/admitted.ts';
import { NOTHING_RESERVED } from '../call/reservation.ts';

interface Continuation {
  /** Added to the id of the session. */
  readonly suffix: string;
  readonly receivedAtMs: number;
  /** Set when the model differs from the session's. */
  readonly model?: string;
}

/** The request id of the call that opened the session. */
export function sessionIdOf({ incoming: { requestId, sessionId = requestId } }: Routed): string {
  return sessionId;
}

/**
 * A further call of the session that `opening` opened: same caller, channel, price and output
 * limit, nothing reserved. The attempt that opened the session serves it.
 */
export function continued(opening: Routed, next: Continuation): Routed {
  const { suffix, receivedAtMs, model = opening.intent.model } = next;
  const sessionId = sessionIdOf(opening);
  const requestId = `${sessionId}-${suffix}`;
  return {
    ...opening,
    incoming: { ...opening.incoming, requestId, receivedAtMs, sessionId },
    intent: { ...opening.intent, model },
    route: {
      ...opening.route,
      upstreamModel: next.model ?? opening.route.upstreamModel,
      channelPermit: undefined,
    },
    attempts: opening.attempts.slice(-1),
    reservation: NOTHING_RESERVED,
    callerPermit: undefined,
    calls: 1,
  };
}
