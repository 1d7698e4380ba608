/**
 * How long the beginning of an answer may take, and what counts as one. A stream is held back until
 * its first content, for a short time or as long as the operator says: an upstream that fails or is
 * too slow before it can still be left for another one.
 */
import { AppError } from '../../domain/errors/errors.ts';
import { parseJson } from '../../json/read-json.ts';
import { errorInside200 } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import {
  asksForBackground,
  type CallRecord,
  isBeside,
  isUpstreamStream,
} from '../call/call-record.ts';
import { speechOf } from '../call/dialect-pair.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { refusedAttempt } from '../failures/upstream-failures.ts';
import type { SseEvent } from '../http/sse.ts';
import { isImages } from '../translate/openai-endpoint-answer.ts';
import { readerFor } from '../translate/select-stream-reader.ts';
import type { AnswerReader } from '../translate/stream-reader.ts';
import type { StreamAnswer } from './answer-types.ts';
import type { Relay } from './relay-context.ts';

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
 * How long the first frames of a stream wait for content where nothing else bounds it. A failure in
 * this time can still go to another channel; after it the frames go out, as a proxy on the way may
 * give up a connection that stays silent.
 */
const OPENING_MS = 5_000;

/**
 * The stream as far as it must be there before the client hears anything: read until something of
 * the answer has come, its end, or the end of `OPENING_MS`. Comments and nonsense before the first
 * frame are dropped. @throws AppError upstream_*, UpstreamFailure for an error told before, ClientLeft.
 */
export async function beginning(
  relay: Relay,
  record: CallRecord,
  body: Omit<StreamAnswer, 'kind' | 'first'>,
  sinceMs: number,
  wait: FirstWait,
): Promise<StreamAnswer> {
  const { source, patience, reader } = body;
  const opening = new Opening(relay, record);
  for (;;) {
    const { openedAtMs, heardAtMs } = wait.untilContent ? NOT_OPENED : opening;
    const leftMs = patience.leftMs(heardAtMs ?? sinceMs, wait.limitMs);
    if (leftMs < 0) throw patience.clientLeft ? new ClientLeft() : wait.over();
    const openingLeftMs = openedAtMs && openedAtMs + OPENING_MS - relay.ctx.now();
    if (openingLeftMs !== undefined && openingLeftMs <= 0) break;
    const batch = await source.next(shorter(leftMs, openingLeftMs));
    if (batch === 'ended') opening.end(reader.end());
    else if (typeof batch !== 'string') opening.take(batch.flatMap((chunk) => reader.push(chunk)));
    if (opening.isOver) break;
  }
  return { ...body, kind: 'stream', first: opening.events };
}

/** A bound on the time to the first content runs from the start of the attempt. */
const NOT_OPENED = { openedAtMs: undefined, heardAtMs: undefined } as const;

/** 0 is no bound for the first. */
function shorter(leftMs: number, otherMs: number | undefined): number {
  if (otherMs === undefined) return leftMs;
  return leftMs === 0 ? otherMs : Math.min(leftMs, otherMs);
}

/** The first frames of a stream, and what they say of the answer. */
class Opening {
  /** From the first frame on, comments included. */
  readonly events: SseEvent[] = [];
  isOver = false;
  /** When the first frame came; from then on only silence counts against the upstream. */
  openedAtMs: number | undefined;
  heardAtMs: number | undefined;
  readonly #relay: Relay;
  readonly #record: CallRecord;
  /** A separate reader: delivery reads the same events again. */
  readonly #probe: AnswerReader;

  constructor(relay: Relay, record: CallRecord) {
    this.#relay = relay;
    this.#record = record;
    this.#probe = readerFor(relay, record);
  }

  take(given: readonly SseEvent[]): void {
    const at = this.openedAtMs === undefined ? given.findIndex(isReal) : 0;
    if (at < 0) return;
    this.heardAtMs = this.#relay.ctx.now();
    const events = given.slice(at);
    if (this.openedAtMs === undefined) this.#open(events[0]);
    this.events.push(...events);
    // The client of a background answer needs its id at once.
    this.isOver = asksForBackground(this.#record) || this.#holdsContent(events);
    if (this.isOver) return;
    this.#refuse(this.#probe.error);
    const { isComplete, isAnswered, sawDone } = this.#probe;
    this.isOver = isComplete && isAnswered;
    if (sawDone && !this.isOver) this.#close();
  }

  /** An error behind the content is an error in the stream. */
  #holdsContent(events: readonly SseEvent[]): boolean {
    return events.some((event) => {
      if (event.kind === 'data') this.#probe.read(event);
      return this.#probe.delivered.hasContent;
    });
  }

  /** Nothing follows these events. */
  end(last: readonly SseEvent[]): void {
    this.take(last);
    if (!this.isOver) this.#close();
  }

  #close(): void {
    this.#probe.end();
    this.#refuse(this.#probe.error);
    if (this.openedAtMs === undefined) throw new AppError('upstream_garbled');
    if (!this.#probe.isComplete) throw new AppError('upstream_broke_off');
    if (!this.#probe.isAnswered) throw new AppError('upstream_empty');
    this.isOver = true;
  }

  /** An error as the very first frame may have the form of another dialect. */
  #open(event: SseEvent | undefined): void {
    this.openedAtMs = this.#relay.ctx.now();
    if (event?.kind === 'data' && !isBeside(this.#record, event.event))
      this.#refuse(errorInside(this.#record, event.data));
  }

  #refuse(error: UpstreamError | undefined): void {
    if (error !== undefined) throw refusedAttempt(this.#relay, this.#record, error);
  }
}

function errorInside(record: CallRecord, data: string): UpstreamError | undefined {
  const json = parseJson(data);
  return speechOf(record)?.upstream.readError(json) ?? errorInside200(json);
}

/** Neither a comment nor nonsense: JSON, or the end mark. */
function isReal(event: SseEvent): boolean {
  if (event.kind !== 'data') return false;
  const json = parseJson(event.data);
  return (typeof json === 'object' && json !== null) || event.data.startsWith('[DONE]');
}
