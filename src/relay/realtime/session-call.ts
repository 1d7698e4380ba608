import { type AttemptRecord, NOTHING_RESERVED, type Routed } from '../call/call-stages.ts';

interface Continuation {
  readonly requestId: string;
  readonly receivedAtMs: number;
  /** Set when the model differs from the previous call's. */
  readonly model?: string;
  readonly attempts: readonly AttemptRecord[];
}

/** A further call of the same session: same caller, channel and price, nothing reserved. */
export function continued(before: Routed, next: Continuation): Routed {
  const { requestId, receivedAtMs, model = before.intent.model, attempts } = next;
  const sessionId = before.incoming.sessionId ?? before.incoming.requestId;
  return {
    ...before,
    incoming: { ...before.incoming, requestId, receivedAtMs, sessionId },
    intent: { ...before.intent, model },
    upstreamModel: next.model ?? before.upstreamModel,
    attempts,
    reservation: NOTHING_RESERVED,
    callerPermit: undefined,
    channelPermit: undefined,
    calls: 1,
  };
}
