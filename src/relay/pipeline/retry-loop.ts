/**
 * The retry loop: for each attempt it chooses a channel, takes a hold and sends the request; then
 * it delivers and settles the answer.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Awaitable } from '../../domain/awaitable.ts';
import { lookupName, mapModel } from '../../domain/channels/model-names.ts';
import { AppError, type ErrorCode } from '../../domain/errors/errors.ts';
import { estimatePrompt } from '../../domain/token-count/token-estimate.ts';
import { offersEndpoint } from '../../providers/requests/openai-request.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import { releaseChannelPermit, takeChannelPermit } from '../admission/caps.ts';
import type { CountSuccess } from '../admission/count-success.ts';
import { holdQuota, priceFor } from '../billing/hold.ts';
import { settle, settleWithin, trackInFlight } from '../billing/settle.ts';
import type { CallRecord } from '../call/call-record.ts';
import { providerFor } from '../call/channel-provider.ts';
import type { Incoming, Outgoing } from '../call/incoming-call.ts';
import { recordFailure, recordSuccess } from '../failures/attempt-outcome.ts';
import { ClientLeft, UpstreamFailure } from '../failures/failed-attempt.ts';
import { deliverAccepted, openBackground } from '../responses/background-responses.ts';
import { dialectOfCall, nativeField } from '../responses/native-responses.ts';
import { capableCandidates } from '../responses/pinned-channel.ts';
import type { Choice } from '../routing/choice.ts';
import { noChannel } from '../routing/no-channel.ts';
import { readNamed } from '../translate/dialect-request.ts';
import type { Answer } from './answer-types.ts';
import { attempt } from './attempt.ts';
import { deliverStream, deliverWhole } from './deliver.ts';
import { deliverAudio } from './deliver-audio.ts';
import type { Relay } from './relay-context.ts';

/** Delay before a retry: short, growing, and randomized. */
const BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 1_000;

/** Shutdown waits for the call, including a stream that it returns. */
export function answerFromSomeChannel(
  relay: Relay,
  record: CallRecord,
  countSuccess: CountSuccess,
): Promise<Outgoing> {
  record.trace = relay.ctx.observer.traceOf(record);
  return trackInFlight(relay, answerAndSettle(relay, record, countSuccess));
}

async function answerAndSettle(
  relay: Relay,
  record: CallRecord,
  countSuccess: CountSuccess,
): Promise<Outgoing> {
  let answer: Answer;
  try {
    answer = await firstGoodAttempt(relay, record, (choice) => attempt(relay, record, choice));
    // For a stream only the start is known to be good; its end reports to the breaker
    // (`deliver.ts`).
    if (answer.kind === 'whole' && record.channel)
      relay.breakers.succeeded(record.channel.id, record.intent.model);
    await openBackground(relay, record, answer);
  } catch (error) {
    record.ending = 'failed';
    await settleWithin(relay, settle(relay, record));
    throw error;
  }
  if (answer.kind === 'stream') return deliverStream(relay, record, answer, countSuccess);
  if (answer.kind === 'whole' && record.inBackground)
    return deliverAccepted(relay, record, answer, countSuccess);
  return answer.kind === 'audio'
    ? deliverAudio(relay, record, answer, countSuccess)
    : deliverWhole(relay, record, answer, countSuccess);
}

/**
 * Tries channels until `ask` succeeds on one; the record then holds that channel, the price and the
 * hold.
 * @throws the error of the last attempt, or a refusal by the gateway.
 */
export async function firstGoodAttempt<T>(
  relay: Relay,
  record: CallRecord,
  send: (choice: Choice) => Promise<T>,
): Promise<T> {
  const last = record.attempts.length + 1 + relay.ctx.options().get('RetryTimes');
  for (;;) {
    const left = last - record.attempts.length;
    try {
      return await goodAttemptInGroup(relay, record, send, left);
    } catch (error) {
      if (record.attempts.length >= last || !mayTryNextGroup(record, error)) throw error;
    }
    enterNextGroup(record);
  }
}

/** Refusals by the gateway that may not occur in another group. */
const OF_THIS_GROUP: ReadonlySet<string> = new Set<ErrorCode>([
  'channel_none',
  'channel_resting',
  'channels_full',
  'endpoint_unsupported',
  'previous_response_unknown',
  'prompt_too_long',
  'provider_retired',
  'responses_only',
  'upstream_saturated',
]);

function mayTryNextGroup(record: CallRecord, error: unknown): boolean {
  const { nextGroups = [] } = record.caller;
  if (nextGroups.length === 0) return false;
  if (error instanceof AppError) return OF_THIS_GROUP.has(error.code);
  // Data that the upstream stores for the call exists on this channel only.
  return error instanceof UpstreamFailure && error.retryable && nativeField(record) === undefined;
}

function enterNextGroup(record: CallRecord): void {
  const [group = record.caller.group, ...nextGroups] = record.caller.nextGroups ?? [];
  record.caller = { ...record.caller, group, nextGroups };
}

async function goodAttemptInGroup<T>(
  relay: Relay,
  record: CallRecord,
  send: (choice: Choice) => Promise<T>,
  attemptsLeft: number,
): Promise<T> {
  const finding = capableCandidates(relay, record, candidatesFor(relay, record));
  const { capable: candidates, required } = finding instanceof Promise ? await finding : finding;
  const isPinned = record.caller.pinned !== '' || required !== undefined;
  const attempts = isPinned ? 1 : attemptsLeft;
  const assigning = isPinned ? record.sticky : relay.affinity.assignmentOf(record, candidates);
  record.sticky = assigning instanceof Promise ? await assigning : assigning;
  const tried = new Set<number>();
  // Failed channels; a refused key does not move the call to the next tier.
  let failed = 0;
  let lastFailure: UpstreamFailure | undefined;
  for (let number = 0; number < attempts; number += 1) {
    if (record.incoming.client.leftAtMs !== undefined) throw new ClientLeft();
    const choice = await chooseWithCapacity(relay, record, tried, (skipped, full) => {
      if (required === undefined)
        return choose(relay, record, candidates, { attempt: failed, skipped, lastFailure, full });
      if (full !== undefined) throw full;
      return required;
    });
    tried.add(choice.channel.id);
    let startedAtMs = relay.ctx.now();
    try {
      const preparing = prepare(relay, record, choice);
      if (preparing !== undefined) await preparing;
      startedAtMs = relay.ctx.now();
      record.trace?.startAttempt(choice.channel, record.upstreamModel, startedAtMs);
      const answer = await send(choice);
      recordSuccess(relay, record, choice, startedAtMs);
      return answer;
    } catch (error) {
      const hasOtherKey = recordFailure(relay, record, choice, startedAtMs, error);
      await releaseChannelPermit(relay, record);
      lastFailure = retryable(error);
      if (hasOtherKey) tried.delete(choice.channel.id);
      else failed += 1;
    }
    if (number + 1 < attempts && tried.size < candidates.length) await pause(backoffMs(number));
  }
  throw lastFailure ?? noChannel(relay, modelOf(record));
}

/** @throws `error` if the call must not be tried elsewhere. */
function retryable(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure && error.retryable) return error;
  throw error;
}

/**
 * @throws AppError model_unknown, channel_none, endpoint_unsupported, prompt_too_long, channel_id_invalid,
 * channel_disabled.
 */
function candidatesFor(relay: Relay, record: CallRecord): readonly ChannelEntry[] {
  const { caller, intent, incoming } = record;
  if (caller.pinned !== '') return [pinnedChannel(relay, caller.pinned)];
  const all = relay.routing.candidates(caller.group, intent.model);
  if (all.length === 0) throw noChannel(relay, modelOf(record));
  const capable = servingEndpoint(all, incoming);
  if (capable.length === 0) throw noCapableChannel(all, record);
  return withinInputLimit(capable, record);
}

/** By endpoint and dialect, for each list of channels; a changed channel makes a new list. */
const keptServing = new WeakMap<readonly ChannelEntry[], Map<string, readonly ChannelEntry[]>>();

function servingEndpoint(
  all: readonly ChannelEntry[],
  { dialect, endpoint }: Incoming,
): readonly ChannelEntry[] {
  const lists = keptServing.get(all) ?? new Map<string, readonly ChannelEntry[]>();
  keptServing.set(all, lists);
  const name = `${endpoint} ${dialect}`;
  const serving =
    lists.get(name) ??
    all.filter((channel) => offersEndpoint(providerFor(channel, dialect), endpoint));
  lists.set(name, serving);
  return serving;
}

function modelOf({ caller: { group }, intent: { model } }: CallRecord) {
  return { group, model };
}

/**
 * If the channels' provider was discontinued, that is the reason; otherwise none of them supports
 * the endpoint.
 */
function noCapableChannel(
  all: readonly ChannelEntry[],
  { intent, incoming }: CallRecord,
): AppError {
  const rows = all.map((channel) => providerFor(channel, incoming.dialect));
  const retired = rows.find(({ supported }) => !supported);
  const param = { param: 'model' };
  if (retired !== undefined && rows.every(({ supported }) => !supported))
    return new AppError(
      'provider_retired',
      { type: retired.name, note: retired.note ?? '' },
      param,
    );
  const facts = { model: intent.model, endpoint: incoming.endpoint };
  return new AppError('endpoint_unsupported', facts, param);
}

/** The longest prompt that the channel can ever take: one above its tokens per minute never fits. */
function inputLimitOf({ maxInputTokens, setting }: ChannelEntry): number {
  return Math.min(
    maxInputTokens || Number.POSITIVE_INFINITY,
    setting.tokensPerMinute || Number.POSITIVE_INFINITY,
  );
}

/**
 * Channels that accept a prompt of this length, which is estimated only if a channel has a limit.
 */
function withinInputLimit(
  capable: readonly ChannelEntry[],
  record: CallRecord,
): readonly ChannelEntry[] {
  if (capable.every((channel) => inputLimitOf(channel) === Number.POSITIVE_INFINITY))
    return capable;
  const tokens = estimatePrompt(
    record.intent.body,
    record.incoming.endpoint,
    lookupName(record.intent.model),
  );
  const within = capable.filter((channel) => inputLimitOf(channel) >= tokens);
  if (within.length > 0) return within;
  const limit = Math.max(...capable.map(inputLimitOf));
  throw new AppError('prompt_too_long', { model: record.intent.model, tokens, limit });
}

/** @throws AppError channel_id_invalid, channel_disabled. */
export function pinnedChannel(relay: Relay, pinned: string): ChannelEntry {
  // Digits only, because `Number` would also accept `0x1`, `1e0` or a blank.
  const channel = /^\d+$/.test(pinned) ? relay.routing.channel(Number(pinned)) : undefined;
  if (channel === undefined) throw new AppError('channel_id_invalid');
  if (channel.status !== 1) throw new AppError('channel_disabled');
  return channel;
}

/**
 * Chooses the next channel with free capacity and takes its permits. A channel at its caps is
 * skipped as if it had been tried.
 * @throws AppError channels_full if that leaves none.
 */
async function chooseWithCapacity(
  relay: Relay,
  record: CallRecord,
  tried: ReadonlySet<number>,
  pick: (skipped: ReadonlySet<number>, full: AppError | undefined) => Choice,
): Promise<Choice> {
  let skipped = tried;
  let full: AppError | undefined;
  let waitMs = Number.POSITIVE_INFINITY;
  for (;;) {
    const choice = pick(skipped, full);
    // Mark the probe before awaiting, so that only one of several concurrent calls probes the
    // channel.
    relay.breakers.begin(choice.channel.id, record.intent.model);
    const taking = takeChannelPermit(relay, record, choice.channel);
    const capFull = taking instanceof Promise ? await taking : taking;
    if (capFull === undefined) return choice;
    relay.breakers.released(choice.channel.id, record.intent.model);
    skipped = new Set([...skipped, choice.channel.id]);
    waitMs = Math.min(waitMs, capFull.waitMs);
    const facts = { group: record.caller.group, model: record.intent.model };
    full = new AppError('channels_full', facts, { retryAfterSec: Math.ceil(waitMs / 1000) });
  }
}

interface Situation {
  readonly attempt: number;
  readonly skipped: ReadonlySet<number>;
  readonly lastFailure: UpstreamFailure | undefined;
  /** The error if only channels at their caps are left. */
  readonly full: AppError | undefined;
}

function choose(
  relay: Relay,
  record: CallRecord,
  candidates: readonly ChannelEntry[],
  { attempt, skipped: tried, lastFailure, full }: Situation,
): Choice {
  const model = record.intent.model;
  const [only] = candidates;
  const chosen =
    record.caller.pinned !== '' && only !== undefined
      ? full === undefined && relay.chooser.pinned(only, model)
      : relay.chooser.choose({ candidates, model, attempt, tried, sticky: record.sticky?.target });
  if (chosen && 'channel' in chosen) return chosen;
  if (lastFailure !== undefined) throw lastFailure;
  if (full !== undefined) throw full;
  if (!chosen) throw noChannel(relay, modelOf(record));
  const group = record.caller.group;
  const wait = { retryAfterSec: Math.max(1, Math.ceil(chosen.waitMs / 1000)) };
  if (chosen.isSaturated) throw new AppError('upstream_saturated', { group }, wait);
  throw new AppError('channel_resting', { group, model }, wait);
}

/** Sets what depends on the channel: the upstream's model name, hence the price and the hold. */
function prepare(relay: Relay, record: CallRecord, { channel, key }: Choice): Awaitable<void> {
  const { bare, upstreamModel } = modelNamesAt(channel, record.intent.model);
  if (upstreamModel === undefined)
    throw new AppError('mapping_broken', { channel: channel.id }, { param: 'model' });
  const named = readNamed(relay.ctx, channel, upstreamModel, record.intent.maxTokens);
  record.channel = channel;
  record.keyId = key.id;
  record.upstreamModel = named.model;
  record.named = named.thinking;
  record.dialect = dialectOfCall(record, channel);
  record.dropsEncryptedReasoning = false;
  const price = priceFor(relay, record, {
    requested: lookupName(bare),
    upstream: named.model,
    channel,
  });
  return holdQuota(relay, record, price);
}

/** The model's name without the channel's prefix, and its name at the channel's upstream. */
export function modelNamesAt(channel: ChannelEntry, full: string) {
  const bare = full.startsWith(channel.prefix) ? full.slice(channel.prefix.length) : full;
  return { bare, upstreamModel: mapModel(channel.mapping, full, bare) };
}

/** The delay before attempt `number` + 1. */
export function backoffMs(number: number): number {
  return Math.min(BACKOFF_MS * 2 ** number, LONGEST_BACKOFF_MS) * (0.5 + Math.random() / 2);
}
