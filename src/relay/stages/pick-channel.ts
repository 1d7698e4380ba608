/** Picks the channel of the next attempt. */
import { AppError } from '../../domain/errors/errors.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { Permit } from '../../store/kv/kv.ts';
import { takeChannelPermit } from '../admission/caps.ts';
import type { Admitted } from '../call/admitted.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { UpstreamFailure } from '../failures/failed-attempt.ts';
import { groupModelOf } from '../routing/candidates.ts';
import { noChannel } from '../routing/no-channel.ts';

export interface Picked {
  readonly choice: Choice;
  /** Permit of the channel's caps; undefined if it has none. */
  readonly permit: Permit | undefined;
}

/**
 * Chooses the next channel with free capacity and takes its permits. A channel at its caps is
 * skipped as if it had been tried.
 * @throws AppError channels_full if that leaves none.
 */
export async function chooseWithCapacity(
  relay: Ports<'breakers' | 'ctx' | 'permits'>,
  call: Admitted,
  tried: ReadonlySet<number>,
  pick: (skipped: ReadonlySet<number>, full: AppError | undefined) => Choice,
): Promise<Picked> {
  let skipped = tried;
  let full: AppError | undefined;
  let waitMs = Number.POSITIVE_INFINITY;
  for (;;) {
    const choice = pick(skipped, full);
    // Mark the probe before awaiting, so that only one of several concurrent calls probes the
    // channel.
    relay.breakers.begin(choice.channel.id, call.intent.model);
    const taken = await takeChannelPermit(relay, call, choice.channel);
    if (taken === undefined || !('full' in taken)) return { choice, permit: taken };
    relay.breakers.released(choice.channel.id, call.intent.model);
    skipped = new Set([...skipped, choice.channel.id]);
    waitMs = Math.min(waitMs, taken.waitMs);
    const facts = { group: call.caller.group, model: call.intent.model };
    full = new AppError('channels_full', facts, { retryAfterSec: Math.ceil(waitMs / 1000) });
  }
}

export interface Situation {
  readonly attempt: number;
  readonly skipped: ReadonlySet<number>;
  readonly lastFailure: UpstreamFailure | undefined;
  /** The error if only channels at their caps are left. */
  readonly full: AppError | undefined;
}

export function choose(
  relay: Ports<'chooser' | 'routing'>,
  call: Admitted,
  candidates: readonly ChannelEntry[],
  { attempt, skipped: tried, lastFailure, full }: Situation,
): Choice {
  const model = call.intent.model;
  const [only] = candidates;
  const chosen =
    call.caller.pinned !== '' && only !== undefined
      ? full === undefined && relay.chooser.pinned(only, model)
      : relay.chooser.choose({ candidates, model, attempt, tried, sticky: call.sticky?.target });
  if (chosen && 'channel' in chosen) return chosen;
  if (lastFailure !== undefined) throw lastFailure;
  if (full !== undefined) throw full;
  if (!chosen) throw noChannel(relay, groupModelOf(call));
  const wait = { retryAfterSec: Math.max(1, Math.ceil(chosen.waitMs / 1000)) };
  throw new AppError('channel_resting', { group: call.caller.group, model }, wait);
}
