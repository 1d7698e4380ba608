/**
 * Sets the output limit of a session at its upstream, if the account has too little for the longest
 * responses of the model. Without the upstream's confirmation the session needs a hold for those.
 */
import {
  outputLimitIn,
  outputLimitUpdate,
  readEvent,
} from '../../dialects/openai/endpoints/realtime.ts';
import { billableQuantity, missingReservation } from '../billing/call-need.ts';
import { releaseReservation, reserve } from '../billing/hold.ts';
import { settle, settleWithin } from '../billing/settle.ts';
import type { Routed } from '../call/admitted.ts';
import { ended } from '../call/call-end.ts';
import type { Relay } from '../call/relay-ports.ts';
import { recordFailedCall } from '../failures/failed-call.ts';
import type { Sent } from '../stages/retry-loop.ts';
import { betaVersion, type Dialled } from './dial-upstream.ts';
import { type Frame, type FrameSource, send } from './realtime-frames.ts';

/** How long the upstream may take to confirm the limit. */
const CONFIRMATION_WAIT_MS = 5_000;
/** Events that may precede the confirmation. */
const MAX_EVENTS = 20;

/** @throws AppError quota_short, token_quota_short: the call is settled, the upstream closed. */
export async function limitedSession(
  relay: Relay,
  { call, answer }: Sent<Dialled>,
): Promise<Sent<Dialled>> {
  const { cappedAt: limit, incoming } = call;
  if (limit === undefined) return { call, answer };
  const isBeta = betaVersion(incoming.headers).startsWith('realtime=');
  await send(answer.upstream.socket, outputLimitUpdate(limit, isBeta));
  const { isSet, events } = await confirmation(answer.upstream, limit, relay.ctx.now);
  const dialled = { ...answer, greeting: [...answer.greeting, ...events] };
  if (isSet) return { call, answer: dialled };
  const bare = await releaseReservation(relay, { ...call, cappedAt: undefined });
  try {
    return { call: await heldInFull(relay, bare), answer: dialled };
  } catch (error) {
    answer.upstream.socket.terminate();
    recordFailedCall(relay, bare, error);
    await settleWithin(relay, settle(relay, ended(bare, { ending: 'failed' })));
    throw error;
  }
}

interface Confirmation {
  readonly isSet: boolean;
  /** What arrived until then; an error about the limit is left out. */
  readonly events: readonly Frame[];
}

async function confirmation(
  upstream: FrameSource,
  limit: number,
  now: () => number,
): Promise<Confirmation> {
  const untilMs = now() + CONFIRMATION_WAIT_MS;
  const events: Frame[] = [];
  while (events.length < MAX_EVENTS) {
    const frame = await upstream.next(Math.max(1, untilMs - now()));
    // A connection that closes is noticed again by the session.
    if (frame === 'waited' || 'code' in frame) break;
    const event = readEvent(frame.data.toString());
    if (event?.type === 'error') break;
    events.push(frame);
    if (event?.type === 'session.updated')
      return { isSet: (outputLimitIn(event) ?? Number.POSITIVE_INFINITY) <= limit, events };
  }
  return { isSet: false, events };
}

async function heldInFull(relay: Relay, call: Routed): Promise<Routed> {
  const quantity = billableQuantity(relay, call);
  const need = quantity && missingReservation(relay, call, { ...quantity, mayLower: false });
  return need === undefined ? call : reserve(relay, call, need);
}
