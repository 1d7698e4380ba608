/**
 * The retry loop: for each attempt it chooses a channel, reserves the cost and sends the request,
 * until one succeeds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Awaitable } from '../../domain/awaitable.ts';
import { AppError, type ErrorCode } from '../../domain/errors/errors.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { Admitted, Routed } from '../call/admitted.ts';
import { nativeField } from '../call/call-facts.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports, Relay } from '../call/relay-ports.ts';
import { recordFailure, recordSuccess } from '../failures/attempt-outcome.ts';
import { ClientLeft, UpstreamFailure } from '../failures/failed-attempt.ts';
import type { Candidates, ClientFeature } from '../features/feature.ts';
import { candidatesFor, groupModelOf } from '../routing/candidates.ts';
import { noChannel } from '../routing/no-channel.ts';
import { choose, chooseWithCapacity, type Picked, type Situation } from './pick-channel.ts';
import { preparedFor } from './prepare-attempt.ts';
import { reserveFor } from './reserve.ts';
import { routedTo } from './route.ts';

/** Delay before a retry: short, growing, and randomized. */
const BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 1_000;

/** A successful attempt; `call` may differ from the one that was routed. */
export interface Sent<T, C extends Admitted = Routed> {
  readonly call: C;
  readonly answer: T;
}

interface Failed {
  /** What is known of the call after its last attempt. */
  readonly call: Admitted;
  readonly error: unknown;
}

/** How the attempts of a call ended. */
export type RetryOutcome<T, C extends Admitted = Routed> = Sent<T, C> | Failed;

/** How the attempts of a call are made, by its transport. */
interface Attempts<T, C extends Admitted> {
  readonly most: number;
  readonly channels: readonly ChannelEntry[];
  /** @throws AppError, or the last failure, if no channel is left. */
  pick(call: Admitted, situation: Situation): Awaitable<Picked>;
  make(call: Admitted, picked: Picked): Promise<Sent<T, C> | AttemptFailed>;
}

type Send<T> = (call: Routed, choice: Choice) => Promise<Sent<T>>;

/** Tries channels, and groups, until `send` succeeds on one. */
export async function firstGoodAttempt<T>(
  relay: Relay,
  admitted: Admitted,
  send: Send<T>,
): Promise<RetryOutcome<T>> {
  const last = admitted.attempts.length + 1 + relay.ctx.options().get('RetryTimes');
  let call = admitted;
  for (;;) {
    const outcome = await attemptInGroup(relay, call, send, last - call.attempts.length);
    if ('answer' in outcome) return outcome;
    if (outcome.call.attempts.length >= last || !mayTryNextGroup(outcome)) return outcome;
    call = inNextGroup(outcome.call);
  }
}

/** Refusals by the gateway that may not occur in another group. */
const OF_THIS_GROUP: ReadonlySet<string> = new Set<ErrorCode>([
  'channel_none',
  'channel_resting',
  'channels_full',
  'compact_unsupported',
  'endpoint_unsupported',
  'item_reference_unknown',
  'previous_response_unknown',
  'prompt_too_long',
  'provider_retired',
  'responses_only',
  'upstream_saturated',
]);

function mayTryNextGroup({ call, error }: Failed): boolean {
  const { nextGroups = [] } = call.caller;
  if (nextGroups.length === 0) return false;
  if (error instanceof AppError) return OF_THIS_GROUP.has(error.code);
  // Data that the upstream stores for the call exists on this channel only.
  return isRetryable(error) && nativeField(call) === undefined;
}

function inNextGroup(call: Admitted): Admitted {
  const [group = call.caller.group, ...nextGroups] = call.caller.nextGroups ?? [];
  return { ...call, caller: { ...call.caller, group, nextGroups } };
}

async function attemptInGroup<T>(
  relay: Relay,
  admitted: Admitted,
  send: Send<T>,
  attemptsLeft: number,
): Promise<RetryOutcome<T>> {
  let call = admitted;
  let candidates: Candidates;
  let isPinned: boolean;
  try {
    candidates = await capableChannels(relay, call);
    const { channels, required } = candidates;
    isPinned = call.caller.pinned !== '' || required !== undefined;
    const sticky = await (isPinned ? call.sticky : relay.affinity.assignmentOf(call, channels));
    if (sticky !== call.sticky) call = { ...call, sticky };
  } catch (error) {
    return { call, error };
  }
  return firstGood(relay, call, {
    most: isPinned ? 1 : attemptsLeft,
    channels: candidates.channels,
    pick: (before, situation) => pickChannel(relay, before, candidates, situation),
    make: (before, picked) => attemptAt(relay, before, picked, send),
  });
}

/** Attempts on one channel after the other, with a pause between them. */
export async function firstGood<T, C extends Admitted>(
  relay: Ports<'routing'>,
  admitted: Admitted,
  { most, channels, pick, make }: Attempts<T, C>,
): Promise<RetryOutcome<T, C>> {
  let call = admitted;
  let attempts = most;
  try {
    const tried = new Set<number>();
    // Failed channels; a refused key does not move the call to the next tier.
    let failed = 0;
    let lastFailure: UpstreamFailure | undefined;
    let fullBudget: AppError | undefined;
    for (let number = 0; number < attempts; number += 1) {
      if (call.incoming.client.leftAtMs !== undefined) throw new ClientLeft();
      const situation = { attempt: failed, skipped: tried, lastFailure, full: fullBudget };
      const picked = await pick(call, situation);
      const outcome = await make(call, picked);
      if ('answer' in outcome) return outcome;
      call = outcome.call;
      if (isFullChannel(outcome.error)) {
        // Nothing was sent, so this was no attempt.
        attempts += 1;
        fullBudget = outcome.error;
        tried.add(picked.choice.channel.id);
        continue;
      }
      if (!isRetryable(outcome.error)) return outcome;
      lastFailure = outcome.error;
      if (!outcome.hasOtherKey) {
        failed += 1;
        tried.add(picked.choice.channel.id);
      }
      await pauseBefore(number + 1, number + 1 < attempts && tried.size < channels.length);
    }
    throw lastFailure ?? noChannel(relay, groupModelOf(call));
  } catch (error) {
    return { call, error };
  }
}

/** The next channel with free capacity, or the required one. */
function pickChannel(
  relay: Relay,
  call: Admitted,
  { channels, required }: Candidates,
  situation: Situation,
): Promise<Picked> {
  return chooseWithCapacity(relay, call, situation.skipped, (skipped, atCaps) => {
    const full = atCaps ?? situation.full;
    if (required === undefined)
      return choose(relay, call, channels, { ...situation, skipped, full });
    if (full !== undefined) throw full;
    return required;
  });
}

/** The channels that can serve the call, and the one choice it is bound to, if any. */
function capableChannels(relay: Relay, call: Admitted): Awaitable<Candidates> {
  const channels = candidatesFor(relay, call);
  const hooks = relay.features.ofClient(call.incoming).candidates;
  return hooks.length === 0 ? { channels } : limitedBy(relay, call, hooks, channels);
}

async function limitedBy(
  relay: Relay,
  call: Admitted,
  hooks: readonly NonNullable<ClientFeature['candidates']>[],
  channels: readonly ChannelEntry[],
): Promise<Candidates> {
  let candidates: Candidates = { channels };
  for (const limit of hooks) candidates = await limit(relay, call, candidates.channels);
  return candidates;
}

function isRetryable(error: unknown): error is UpstreamFailure {
  return error instanceof UpstreamFailure && error.retryable;
}

/** A budget of the chosen channel has no room for the call. */
function isFullChannel(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'channels_full';
}

export interface AttemptFailed extends Failed {
  /** Another key of the same channel can be tried at once. */
  readonly hasOtherKey: boolean;
}

async function attemptAt<T>(
  relay: Relay,
  before: Admitted,
  { choice, permit }: Picked,
  send: Send<T>,
): Promise<Sent<T> | AttemptFailed> {
  let call = before;
  let startedAtMs = relay.ctx.now();
  try {
    let routed = routedTo(relay, before, choice, permit);
    call = routed;
    call = routed = await reserveFor(relay, routed, (released) => {
      call = released;
    });
    startedAtMs = relay.ctx.now();
    routed.trace?.startAttempt(choice.channel, routed.route.upstreamModel, startedAtMs);
    call = routed = await preparedFor(relay, routed, choice);
    const sent = await send(routed, choice);
    const attempt = recordSuccess(relay, sent.call, choice, startedAtMs);
    return {
      call: { ...sent.call, attempts: [...sent.call.attempts, attempt] },
      answer: sent.answer,
    };
  } catch (error) {
    const { attempt, hasOtherKey } = recordFailure(relay, call, choice, startedAtMs, error);
    const attempts = attempt === undefined ? call.attempts : [...call.attempts, attempt];
    if (permit !== undefined) await relay.permits.release(permit, 0);
    const route = { ...call.route, channelPermit: undefined };
    return { call: { ...call, attempts, route }, error, hasOtherKey };
  }
}

/** Waits if there is another attempt. */
async function pauseBefore(number: number, hasNext: boolean): Promise<void> {
  if (hasNext) await pause(backoffMs(number - 1));
}

/** The delay before attempt `number` + 1. */
function backoffMs(number: number): number {
  return Math.min(BACKOFF_MS * 2 ** number, LONGEST_BACKOFF_MS) * (0.5 + Math.random() / 2);
}
