/**
 * Limits how long the start of an answer may take, and defines what counts as content. A stream is
 * held back until its first content, for a short time or for the operator's limit, so that a
 * failing or slow upstream can still be replaced by another one.
 */

import type { AnswerReader } from '../../dialects/hub/answer/answer-reader.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { parseJson } from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { Routed } from '../call/admitted.ts';
import { asksForBackground, isSideEvent, isUpstreamStream } from '../call/call-facts.ts';
import type { Ports } from '../call/relay-ports.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { refusedAttempt } from '../failures/upstream-failures.ts';
import type { StreamAnswer } from '../http/answer-types.ts';
import { nextBatch } from '../http/byte-source.ts';
import type { SseEvent } from '../http/sse.ts';
import { isImages } from '../translate/openai-endpoint-answer.ts';
import { readerFor } from '../translate/select-reader.ts';

export interface FirstWait {
  /** 0 = no limit. */
  readonly limitMs: number;
  /** The error when the limit is exceeded. */
  readonly over: () => AppError;
  /** Keeps waiting when frames contain nothing of the answer. */
  readonly untilContent: boolean;
}

/** Models that think for long before the first token get twice the usual limit. */
const SLOW_STARTERS = /^(o1|o3)/;
/** Images take minutes, and nothing is sent before they are finished. */
const IMAGE_FACTOR = 5;

/**
 * A stream has to start within its limits; a whole answer may take as long as the operator allows.
 */
export function firstWaitOf(relay: Ports<'ctx'>, call: Routed): FirstWait {
  const usualMs = call.intent.stream ? idleLimitMs(relay, call) : answerLimitMs(relay, call);
  const contentMs = firstContentLimitMs(relay, call);
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
 * 0 = no limit. There is none for images and answers that the upstream cannot stream, which arrive
 * whole, and for background answers, which wait in the upstream's queue.
 */
function firstContentLimitMs(relay: Ports<'ctx'>, call: Routed): number {
  const { incoming, intent } = call;
  const { channel } = call.route;
  if (!intent.stream || isImages(incoming.endpoint) || asksForBackground(call)) return 0;
  if (!isUpstreamStream(call)) return 0;
  const own = channel.setting.firstContentTimeoutMs;
  return own ?? relay.ctx.options().get('FirstContentTimeoutSeconds') * 1000;
}

/** Longest pause within a stream. */
export function idleLimitMs(relay: Ports<'ctx'>, call: Routed): number {
  const { streamIdleTimeoutMs } = relay.ctx.config;
  if (isImages(call.incoming.endpoint)) return streamIdleTimeoutMs * IMAGE_FACTOR;
  return SLOW_STARTERS.test(call.route.upstreamModel)
    ? streamIdleTimeoutMs * 2
    : streamIdleTimeoutMs;
}

/** Limit for a whole answer that is not a stream; 0 = none. */
export function answerLimitMs(relay: Ports<'ctx'>, { route: { channel } }: Routed): number {
  const { relayTimeoutMs } = relay.ctx.config;
  const own = channel.setting.answerTimeoutMs;
  return own > 0 && relayTimeoutMs > 0 ? Math.min(own, relayTimeoutMs) : own || relayTimeoutMs;
}

/**
 * How long the first frames of a stream wait for content when no other limit applies. A failure in
 * this time can still be retried on another channel; afterwards the frames are sent, because a
 * proxy may close a connection that stays silent.
 */
const OPENING_MS = 5_000;

/**
 * Reads a stream until its first content, its end, or the end of `OPENING_MS`. Comments and invalid
 * data before the first frame are dropped.
 * @throws AppError upstream_*, UpstreamFailure for an error reported before content, ClientLeft.
 */
export async function beginning(
  relay: Ports<'ctx'>,
  call: Routed,
  body: Omit<StreamAnswer, 'kind' | 'first'>,
  sinceMs: number,
  wait: FirstWait,
): Promise<StreamAnswer> {
  const { source, deadline, reader } = body;
  const opening = new Opening(relay, call);
  for (;;) {
    const { openedAtMs, receivedAtMs } = wait.untilContent ? NOT_OPENED : opening;
    const leftMs = deadline.leftMs(receivedAtMs ?? sinceMs, wait.limitMs);
    if (leftMs < 0) throw deadline.clientLeft ? new ClientLeft() : wait.over();
    const openingLeftMs = openedAtMs && openedAtMs + OPENING_MS - relay.ctx.now();
    if (openingLeftMs !== undefined && openingLeftMs <= 0) break;
    const batch = await nextBatch(source, shorter(leftMs, openingLeftMs));
    if (batch === 'ended') opening.end(reader.end());
    else if (typeof batch !== 'string') opening.take(batch.flatMap((chunk) => reader.push(chunk)));
    if (opening.isOver) break;
  }
  return { kind: 'stream', first: opening.events, ...body };
}

/** The limit for the first content counts from the start of the attempt. */
const NOT_OPENED = { openedAtMs: undefined, receivedAtMs: undefined } as const;

/** The smaller limit; `leftMs` 0 = none. */
function shorter(leftMs: number, otherMs: number | undefined): number {
  if (otherMs === undefined) return leftMs;
  return leftMs === 0 ? otherMs : Math.min(leftMs, otherMs);
}

/** The first frames of a stream, and whether they contain content. */
class Opening {
  /** All events from the first frame on, comments included. */
  readonly events: SseEvent[] = [];
  isOver = false;
  /** When the first frame arrived; from then on only pauses are limited. */
  openedAtMs: number | undefined;
  receivedAtMs: number | undefined;
  readonly #relay: Ports<'ctx'>;
  readonly #call: Routed;
  /** A separate reader, because delivery reads the same events again. */
  readonly #probe: AnswerReader;

  constructor(relay: Ports<'ctx'>, call: Routed) {
    this.#relay = relay;
    this.#call = call;
    this.#probe = readerFor(relay, call);
  }

  take(given: readonly SseEvent[]): void {
    const at = this.openedAtMs === undefined ? given.findIndex(isReal) : 0;
    if (at < 0) return;
    this.receivedAtMs = this.#relay.ctx.now();
    const events = given.slice(at);
    if (this.openedAtMs === undefined) this.#open(events[0]);
    this.events.push(...events);
    // The client of a background answer needs its id immediately.
    this.isOver = asksForBackground(this.#call) || this.#holdsContent(events);
    if (this.isOver) return;
    this.#refuse(this.#probe.error);
    const { isComplete, hasAnswer, sawDone } = this.#probe;
    this.isOver = isComplete && hasAnswer;
    if (sawDone && !this.isOver) this.#close();
  }

  /** An error after content is an error within the stream. */
  #holdsContent(events: readonly SseEvent[]): boolean {
    return events.some((event) => {
      if (event.kind === 'data') this.#probe.read(event);
      return this.#probe.delivered.hasContent;
    });
  }

  /** Adds the last events of the stream. */
  end(last: readonly SseEvent[]): void {
    this.take(last);
    if (!this.isOver) this.#close();
  }

  #close(): void {
    this.#probe.end();
    this.#refuse(this.#probe.error);
    if (this.openedAtMs === undefined) throw new AppError('upstream_garbled');
    if (!this.#probe.isComplete) throw new AppError('upstream_broke_off');
    if (!this.#probe.hasAnswer) throw new AppError('upstream_empty');
    this.isOver = true;
  }

  /** An error in the first frame may be in the format of another dialect. */
  #open(event: SseEvent | undefined): void {
    this.openedAtMs = this.#relay.ctx.now();
    if (event?.kind === 'data' && !isSideEvent(this.#call, event.event))
      this.#refuse(errorInside(this.#call, event.data));
  }

  #refuse(error: UpstreamError | undefined): void {
    if (error !== undefined) throw refusedAttempt(this.#relay, this.#call, error);
  }
}

function errorInside(call: Routed, data: string): UpstreamError | undefined {
  const json = parseJson(data);
  return call.route.plan.pair?.upstream.readError(json) ?? errorInSuccess(json);
}

/** Whether the event is JSON or the end mark, not a comment or invalid data. */
function isReal(event: SseEvent): boolean {
  if (event.kind !== 'data') return false;
  const json = parseJson(event.data);
  return (typeof json === 'object' && json !== null) || event.data.startsWith('[DONE]');
}
