/**
 * How long the beginning of an answer may take, and what counts as one. Where an operator bounds the
 * time to the first content, nothing is sent on before it is there: so a slow channel can still be
 * left for another one.
 */
import { AppError } from '../domain/errors.ts';
import { isImages } from './endpoint-answer.ts';
import { refusedAttempt } from './failures.ts';
import type { StreamAnswer } from './first-answer.ts';
import type { FrameReader } from './framing.ts';
import { asksForBackground, type CallRecord, isUpstreamStream } from './record.ts';
import type { Relay } from './relay-context.ts';
import type { SseEvent } from './sse.ts';
import { readerFor } from './stream-reader-for.ts';
import type { Batch } from './upstream-call.ts';
import { ClientLeft } from './upstream-failure.ts';

export interface FirstWait {
  /** 0 for no bound. */
  readonly limitMs: number;
  /** What the attempt fails with beyond it. */
  readonly over: () => AppError;
  /** Frames that say nothing of the answer do not end the wait. */
  readonly untilContent: boolean;
}

/** Models that think long before the first token get twice the usual silence. */
const SLOW_STARTERS = /^(o1|o3)/;
/** A picture takes minutes, and says nothing before it is drawn. */
const DRAWING_FACTOR = 5;

/** A stream has to begin within its bounds; a whole answer may take as long as the operator allows. */
export function firstWaitOf(relay: Relay, record: CallRecord): FirstWait {
  const usualMs = record.intent.stream ? idleLimitMs(relay, record) : answerLimitMs(relay, record);
  const contentMs = firstContentLimitMs(relay, record);
  if (contentMs === 0 || (usualMs > 0 && usualMs <= contentMs))
    return { limitMs: usualMs, over: timeout, untilContent: false };
  const seconds = contentMs / 1000;
  const over = () => new AppError('upstream_slow', { seconds });
  return { limitMs: contentMs, over, untilContent: true };
}

function timeout(): AppError {
  return new AppError('upstream_timeout');
}

/**
 * 0 for no bound. A picture and an answer that its upstream cannot stream are one piece, and one in the
 * background waits for its turn.
 */
function firstContentLimitMs(relay: Relay, record: CallRecord): number {
  const { incoming, intent, channel } = record;
  if (!intent.stream || isImages(incoming.endpoint) || asksForBackground(record)) return 0;
  if (channel === undefined || !isUpstreamStream(record, channel)) return 0;
  const own = channel.setting.firstContentTimeoutMs;
  return own ?? relay.ctx.options().get('FirstContentTimeoutSeconds') * 1000;
}

/** The longest silence of a stream. */
export function idleLimitMs(relay: Relay, record: CallRecord): number {
  const { streamIdleTimeoutMs } = relay.ctx.config;
  if (isImages(record.incoming.endpoint)) return streamIdleTimeoutMs * DRAWING_FACTOR;
  return SLOW_STARTERS.test(record.upstreamModel) ? streamIdleTimeoutMs * 2 : streamIdleTimeoutMs;
}

/** For the whole of an answer that is no stream; 0 for no bound. */
export function answerLimitMs(relay: Relay, { channel }: CallRecord): number {
  const { relayTimeoutMs } = relay.ctx.config;
  const own = channel?.setting.answerTimeoutMs ?? 0;
  return own > 0 && relayTimeoutMs > 0 ? Math.min(own, relayTimeoutMs) : own || relayTimeoutMs;
}

/**
 * The same stream, read on until something of the answer is there: text, thoughts, a call, media or
 * its end. @throws AppError upstream_slow, UpstreamFailure for an error told before, ClientLeft.
 */
export async function untilContent(
  relay: Relay,
  record: CallRecord,
  answer: StreamAnswer,
  sinceMs: number,
  { limitMs, over }: FirstWait,
): Promise<StreamAnswer> {
  const { source, patience, reader } = answer;
  // One of its own: whoever delivers the stream reads the same events again.
  const probe = readerFor(relay, record);
  const events: SseEvent[] = [];
  let fresh: readonly SseEvent[] = answer.first;
  for (let isOver = false; ; ) {
    for (const event of fresh) if (event.kind === 'data') probe.read(event);
    events.push(...fresh);
    if (probe.error !== undefined) throw refusedAttempt(relay, record, probe.error);
    const hasContent = probe.delivered.hasContent || probe.sawDone || probe.isComplete;
    if (hasContent || isOver) return { ...answer, first: events };
    const leftMs = patience.leftMs(sinceMs, limitMs);
    if (leftMs < 0) throw patience.clientLeft ? new ClientLeft() : over();
    const batch = await source.next(leftMs);
    isOver = batch === 'ended';
    fresh = eventsIn(batch, reader);
  }
}

function eventsIn(batch: Batch, reader: FrameReader): readonly SseEvent[] {
  if (batch === 'ended') return reader.end();
  return typeof batch === 'string' ? [] : batch.flatMap((chunk) => reader.push(chunk));
}
