/** The retry loop and what follows a good attempt: choose, hold, attempt, deliver, settle. */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import { lookupName, mapModel } from '../domain/model-names.ts';
import { offersEndpoint } from '../providers/openai-request.ts';
import { providerOf } from '../providers/rows.ts';
import type { ChannelEntry } from '../services/views/routing.ts';
import type { CountSuccess } from './admit.ts';
import { type Answer, attempt } from './attempt.ts';
import type { Choice } from './choose.ts';
import { deliverStream, deliverWhole } from './deliver.ts';
import { holdQuota, priceFor } from './hold.ts';
import type { Outgoing } from './incoming.ts';
import type { CallRecord } from './record.ts';
import type { Relay } from './relay-context.ts';
import { reportFailure } from './report-failure.ts';
import { settle, track } from './settle.ts';
import { ClientLeft, UpstreamFailure } from './upstream-failure.ts';

/** Pause before another channel is asked: short, growing, never in step with others. */
const BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 1_000;

/** Shutdown waits for it, and for the stream it may answer with. */
export function answerFromSomeChannel(
  relay: Relay,
  record: CallRecord,
  countSuccess: CountSuccess,
): Promise<Outgoing> {
  return track(relay, answerAndSettle(relay, record, countSuccess));
}

async function answerAndSettle(
  relay: Relay,
  record: CallRecord,
  countSuccess: CountSuccess,
): Promise<Outgoing> {
  let answer: Answer;
  try {
    answer = await firstGoodAttempt(relay, record);
  } catch (error) {
    record.ending = 'failed';
    await settle(relay, record);
    throw error;
  }
  return answer.kind === 'stream'
    ? deliverStream(relay, record, answer, countSuccess)
    : deliverWhole(relay, record, answer, countSuccess);
}

async function firstGoodAttempt(relay: Relay, record: CallRecord): Promise<Answer> {
  const candidates = candidatesFor(relay, record);
  const isPinned = record.caller.pinned !== '';
  const attempts = isPinned ? 1 : 1 + relay.ctx.options().get('RetryTimes');
  const tried = new Set<number>();
  let lastFailure: UpstreamFailure | undefined;
  for (let number = 0; number < attempts; number += 1) {
    if (record.incoming.client.leftAtMs !== undefined) throw new ClientLeft();
    const choice = choose(relay, record, candidates, number, tried, lastFailure);
    tried.add(choice.channel.id);
    // Said before anything is waited for: of many calls that find a rest over, one is the probe.
    relay.breakers.begin(choice.channel.id);
    let startedAtMs = relay.ctx.now();
    try {
      await prepare(relay, record, choice);
      startedAtMs = relay.ctx.now();
      const answer = await attempt(relay, record, choice);
      noteSuccess(relay, record, choice, startedAtMs, answer);
      return answer;
    } catch (error) {
      noteFailure(relay, record, choice, startedAtMs, error);
      if (!(error instanceof UpstreamFailure) || !error.retryable) throw error;
      lastFailure = error;
    }
    if (number + 1 < attempts && tried.size < candidates.length) await pause(backoffMs(number));
  }
  throw lastFailure ?? noChannel(record);
}

/** @throws AppError channel_none, endpoint_unsupported, channel_id_invalid, channel_disabled. */
function candidatesFor(relay: Relay, record: CallRecord): readonly ChannelEntry[] {
  const { caller, intent, incoming } = record;
  if (caller.pinned !== '') return [pinnedChannel(relay, caller.pinned)];
  const all = relay.routing.candidates(caller.group, intent.model);
  if (all.length === 0) throw noChannel(record);
  const able = all.filter((channel) => offersEndpoint(providerOf(channel.type), incoming.endpoint));
  if (able.length === 0)
    throw new AppError(
      'endpoint_unsupported',
      { model: intent.model, endpoint: incoming.endpoint },
      { param: 'model' },
    );
  return able;
}

function pinnedChannel(relay: Relay, pinned: string): ChannelEntry {
  // Only digits: `Number` would also take `0x1`, `1e0` or a blank for a channel.
  const channel = /^\d+$/.test(pinned) ? relay.routing.channel(Number(pinned)) : undefined;
  if (channel === undefined) throw new AppError('channel_id_invalid');
  if (channel.status !== 1) throw new AppError('channel_disabled');
  return channel;
}

function noChannel(record: CallRecord): AppError {
  const { caller, intent } = record;
  return new AppError(
    'channel_none',
    { group: caller.group, model: intent.model },
    { param: 'model' },
  );
}

function choose(
  relay: Relay,
  record: CallRecord,
  candidates: readonly ChannelEntry[],
  number: number,
  tried: ReadonlySet<number>,
  lastFailure: UpstreamFailure | undefined,
): Choice {
  const model = record.intent.model;
  const [only] = candidates;
  const chosen =
    record.caller.pinned !== '' && only !== undefined
      ? relay.chooser.pinned(only, model)
      : relay.chooser.choose({ candidates, model, attempt: number, tried });
  if (chosen !== undefined && 'channel' in chosen) return chosen;
  if (lastFailure !== undefined) throw lastFailure;
  if (chosen === undefined) throw noChannel(record);
  const group = record.caller.group;
  const wait = { retryAfterSec: Math.max(1, Math.ceil(chosen.restingMs / 1000)) };
  if (chosen.isSaturated) throw new AppError('upstream_saturated', { group }, wait);
  throw new AppError('channel_resting', { group, model }, wait);
}

/** What depends on the channel: the upstream's name of the model, hence the price; held once per call. */
async function prepare(relay: Relay, record: CallRecord, { channel }: Choice): Promise<void> {
  const full = record.intent.model;
  const bare = full.startsWith(channel.prefix) ? full.slice(channel.prefix.length) : full;
  const upstreamModel = mapModel(channel.mapping, full, bare);
  if (upstreamModel === undefined) throw new AppError('mapping_broken', { channel: channel.id });
  record.channel = channel;
  record.upstreamModel = upstreamModel;
  const price = priceFor(relay, record, lookupName(bare), upstreamModel);
  if (record.price === undefined) await holdQuota(relay, record, price);
  record.price = price;
}

/** Of a stream only its beginning is good so far: its end tells the breaker (`deliver.ts`). */
function noteSuccess(
  relay: Relay,
  record: CallRecord,
  choice: Choice,
  startedAtMs: number,
  answer: Answer,
): void {
  if (answer.kind === 'whole') relay.breakers.succeeded(choice.channel.id);
  record.attempts.push(
    attemptRecord(relay, record, choice, startedAtMs, { status: 200, code: '', message: '' }),
  );
}

function noteFailure(
  relay: Relay,
  record: CallRecord,
  choice: Choice,
  startedAtMs: number,
  error: unknown,
): void {
  if (!(error instanceof UpstreamFailure)) {
    relay.breakers.released(choice.channel.id);
    return;
  }
  const { upstream } = error;
  record.attempts.push(
    attemptRecord(relay, record, choice, startedAtMs, {
      status: upstream.status,
      code: upstream.code || upstream.type,
      message: upstream.message,
    }),
  );
  if (error.hurtsChannel) relay.breakers.failed(choice.channel.id);
  else relay.breakers.released(choice.channel.id);
  if (upstream.status === 429 && upstream.retryAfterMs !== undefined) {
    relay.breakers.coolDown(choice.key.id, record.intent.model, upstream.retryAfterMs);
  }
  reportFailure(relay, choice, upstream);
}

function attemptRecord(
  relay: Relay,
  record: CallRecord,
  { channel, key }: Choice,
  startedAtMs: number,
  result: { status: number; code: string; message: string },
) {
  return {
    channel_id: channel.id,
    channel_name: channel.name,
    key_id: key.id,
    upstream_model: record.upstreamModel,
    ...result,
    message: result.message.slice(0, 1000),
    duration_ms: relay.ctx.now() - startedAtMs,
  };
}

function backoffMs(number: number): number {
  return Math.min(BACKOFF_MS * 2 ** number, LONGEST_BACKOFF_MS) * (0.5 + Math.random() / 2);
}
