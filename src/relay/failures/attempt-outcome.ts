/**
 * Records the outcome of an attempt: channel health, key cooldown, channel affinity and the call's
 * attempt list.
 */

import type { AttemptRecord, CallRecord, Ending } from '../call/call-record.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import type { Choice } from '../routing/choice.ts';
import { recordKeyRefusal, recordKeySuccess } from '../routing/key-cooldowns.ts';
import type { StickyTarget } from '../routing/sticky-channel.ts';
import { reportFailure } from './disable-refused-key.ts';
import { UpstreamFailure } from './failed-attempt.ts';

export function recordSuccess(
  relay: Relay,
  record: CallRecord,
  choice: Choice,
  startedAtMs: number,
): void {
  record.attempts.push(
    attemptRecord(relay, record, choice, startedAtMs, { status: 200, code: '', message: '' }),
  );
  if (record.caller.pinned !== '') recordKeySuccess(relay, choice);
  const { sticky } = record;
  if (sticky !== undefined) relay.affinity.store(sticky, targetOf(choice));
}

function targetOf({ channel, key }: Choice): StickyTarget {
  return { channelId: channel.id, keyId: key.id };
}

/** A slow attempt counts as half a failure, because the channel may answer correctly, only late. */
const SLOW_WEIGHT = 0.5;

/** True if another key of the same channel can be tried at once. */
export function recordFailure(
  relay: Relay,
  record: CallRecord,
  choice: Choice,
  startedAtMs: number,
  error: unknown,
): boolean {
  if (!(error instanceof UpstreamFailure)) {
    relay.breakers.released(choice.channel.id, record.intent.model);
    return false;
  }
  const { upstream } = error;
  record.attempts.push(
    attemptRecord(relay, record, choice, startedAtMs, {
      status: upstream.status,
      code: upstream.code || upstream.type,
      message: upstream.message,
    }),
  );
  const { model } = record.intent;
  const weight = error.isSlow ? SLOW_WEIGHT : 1;
  if (error.hurtsChannel) relay.breakers.failed(choice.channel.id, model, weight);
  else relay.breakers.released(choice.channel.id, model);
  if (error.retryable && record.sticky !== undefined) relay.affinity.drop(record.sticky);
  const hasOtherKey = recordKeyRefusal(relay, choice, model, upstream);
  reportFailure(relay, choice, upstream, record.incoming.requestId);
  return hasOtherKey;
}

/** A channel whose streams break off is as unhealthy as one that does not answer. */
export function reportToBreaker(relay: Relay, record: CallRecord, ending: Ending): void {
  const { sticky, intent } = record;
  const channelId = record.channel?.id ?? 0;
  if (ending === 'answered') relay.breakers.succeeded(channelId, intent.model);
  else if (ending === 'upstream_broke') relay.breakers.failed(channelId, intent.model);
  else relay.breakers.released(channelId, intent.model);
  if (ending === 'upstream_broke' && sticky !== undefined) relay.affinity.drop(sticky);
}

function attemptRecord(
  relay: Relay,
  record: CallRecord,
  { channel, key }: Choice,
  startedAtMs: number,
  result: { status: number; code: string; message: string },
): AttemptRecord {
  const { sticky } = record;
  const isKept = sticky?.target?.channelId === channel.id;
  return {
    channel_id: channel.id,
    channel_name: channel.name,
    key_id: key.id,
    upstream_model: record.upstreamModel,
    ...result,
    message: result.message.slice(0, 1000),
    duration_ms: relay.ctx.now() - startedAtMs,
    ...(isKept && { affinity: sticky.by }),
  };
}
