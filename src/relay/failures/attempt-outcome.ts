/**
 * Records the outcome of an attempt: channel health, key cooldown, channel affinity and the call's
 * attempt list.
 */

import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { Admitted, Routed } from '../call/admitted.ts';
import type { AttemptRecord, AttemptResult } from '../call/attempt-record.ts';
import type { Ending } from '../call/call-end.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { StickyTarget } from '../call/sticky-channel.ts';
import { recordKeyRefusal, recordKeySuccess } from '../routing/key-cooldowns.ts';
import { affectedBy } from '../routing/outcome-rules.ts';
import { failureResult } from './attempt-results.ts';
import { reportFailure } from './disable-refused-key.ts';
import { UpstreamFailure } from './failed-attempt.ts';

/** Returns the attempt for the call's list. */
export function recordSuccess(
  relay: Ports<'affinity' | 'breakers' | 'ctx' | 'inFlight'>,
  call: Admitted,
  choice: Choice,
  startedAtMs: number,
): AttemptRecord {
  if (call.caller.pinned !== '') recordKeySuccess(relay, choice);
  const { sticky } = call;
  if (sticky !== undefined) relay.affinity.store(sticky, targetOf(choice));
  return attemptRecord(relay, call, choice, startedAtMs, GOOD);
}

const GOOD = { status: 200, code: '', message: '' } as const;

function targetOf({ channel, key }: Choice): StickyTarget {
  return { channelId: channel.id, keyId: key.id };
}

/** A slow attempt counts as half a failure, because the channel may answer correctly, only late. */
const SLOW_WEIGHT = 0.5;

interface RecordedFailure {
  /** Undefined if the upstream is not to blame. */
  readonly attempt: AttemptRecord | undefined;
  /** Another key of the same channel can be tried at once. */
  readonly hasOtherKey: boolean;
}

export function recordFailure(
  relay: Ports<'affinity' | 'breakers' | 'chooser' | 'ctx' | 'inFlight'>,
  call: Admitted,
  choice: Choice,
  startedAtMs: number,
  error: unknown,
): RecordedFailure {
  const { model } = call.intent;
  if (!(error instanceof UpstreamFailure)) {
    relay.breakers.released(choice.channel.id, model);
    return { attempt: undefined, hasOtherKey: false };
  }
  const attempt = attemptRecord(relay, call, choice, startedAtMs, failureResult(error));
  if (error.retryable && call.sticky !== undefined) relay.affinity.drop(call.sticky);
  const { upstream, hurtsChannel, isSlow } = error;
  if (hurtsChannel) relay.breakers.failed(choice.channel.id, model, isSlow ? SLOW_WEIGHT : 1);
  else relay.breakers.released(choice.channel.id, model);
  const hasOtherKey = recordKeyRefusal(relay, choice, model, upstream);
  reportFailure(relay, call, choice, upstream);
  return { attempt, hasOtherKey };
}

/**
 * A channel whose streams break off is as unhealthy as one that does not answer, unless the
 * upstream ends the stream with an error (`reported`) of the request.
 */
export function reportToBreaker(
  relay: Ports<'affinity' | 'breakers'>,
  call: Routed,
  ending: Ending,
  reported?: UpstreamError,
): void {
  const { sticky, intent } = call;
  const channelId = call.route.channel.id;
  if (ending === 'answered') relay.breakers.succeeded(channelId, intent.model);
  else if (ending === 'upstream_broke' && hurtsChannel(reported))
    relay.breakers.failed(channelId, intent.model);
  else relay.breakers.released(channelId, intent.model);
  if (ending === 'upstream_broke' && sticky !== undefined) relay.affinity.drop(sticky);
}

function hurtsChannel(reported: UpstreamError | undefined): boolean {
  return reported === undefined || affectedBy(reported) === 'model of the channel';
}

export function attemptRecord(
  relay: Ports<'ctx'>,
  { sticky, route: { upstreamModel } }: Pick<Admitted, 'sticky' | 'route'>,
  { channel, key }: Choice,
  startedAtMs: number,
  result: AttemptResult,
): AttemptRecord {
  const isKept = sticky?.target?.channelId === channel.id;
  return {
    channel_id: channel.id,
    channel_name: channel.name,
    key_id: key.id,
    upstream_model: upstreamModel,
    ...result,
    duration_ms: relay.ctx.now() - startedAtMs,
    ...(isKept && { affinity: sticky.by }),
  };
}
