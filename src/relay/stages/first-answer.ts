/** Reads the start of an upstream's answer, or all of an answer that is not streamed. */

import type { AnswerSum, PlainAnswer } from '../../dialects/hub/answer/answer-reader.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { readUpstreamError } from '../../upstream-errors/read-upstream-error.ts';
import type { Routed } from '../call/admitted.ts';
import { asksForBackground } from '../call/call-facts.ts';
import type { Ports } from '../call/relay-ports.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { refusedAttempt } from '../failures/upstream-failures.ts';
import type {
  Answer,
  ArrivedBody,
  AudioAnswer,
  Exchange,
  WholeAnswer,
} from '../http/answer-types.ts';
import { type ByteSource, nextBatch } from '../http/byte-source.ts';
import { decodeBody, decodedSource } from '../http/content-encoding.ts';
import { type FrameReader, frameReaderOf } from '../http/framing.ts';
import { bytesWithoutKeys, eventsWithoutKeys } from '../http/redact-repeated-keys.ts';
import { collect, type UpstreamCall } from '../http/upstream-call.ts';
import {
  answerReading,
  isImages,
  readEndpointAnswer,
} from '../translate/openai-endpoint-answer.ts';
import { readWhole, sumFor } from '../translate/select-reader.ts';
import { collectStream, collectText, looksLikeEvents } from './collect-stream.ts';
import {
  answerLimitMs,
  beginning,
  type FirstWait,
  firstWaitOf,
  idleLimitMs,
} from './first-content.ts';

const MAX_ERROR_BYTES = 256 * 1024;
const ERROR_BODY_WAIT_MS = 10_000;

/**
 * Reads what must be known before anything is sent to the client: a stream's first real frame, or
 * the whole answer.
 * @throws UpstreamFailure, ClientLeft, AppError upstream_*
 */
export async function firstAnswer(
  relay: Ports<'ctx' | 'features' | 'pools'>,
  routed: Routed,
  exchange: Exchange,
): Promise<Answer> {
  const { call } = exchange;
  const startedAtMs = relay.ctx.now();
  const wait = firstWaitOf(relay, routed);
  await waitForHeaders(exchange, startedAtMs, wait);
  if (call.status < 200 || call.status >= 300) throw await refusal(relay, routed, exchange);
  const { deadline, credentials, choice } = exchange;
  const body = { source: decodedSource(call, call.headers), call, deadline, credentials, choice };
  const contentType = typeOf(call);
  if (isAudioBody(routed, contentType)) return audioAnswer(body, startedAtMs, wait);
  // An image is a single event.
  const options = isImages(routed.incoming.endpoint)
    ? { maxEventBytes: relay.ctx.config.maxAnswerMb * 1024 * 1024 }
    : {};
  const frames = frameReaderOf(contentType, options);
  if (frames === undefined) return wholeAnswer(relay, routed, exchange, startedAtMs);
  const open = { reader: eventsWithoutKeys(frames, [exchange.choice.key]), ...body };
  if (routed.intent.stream) return beginning(relay, routed, open, startedAtMs, wait);
  const { pair } = routed.route.plan;
  if (pair === undefined) throw new AppError('upstream_garbled');
  const sum = sumFor(relay, routed, pair);
  return collectedAnswer(relay, routed, { sum, ...open }, startedAtMs);
}

async function waitForHeaders(
  { deadline, call }: Exchange,
  sinceMs: number,
  { limitMs, over }: FirstWait,
): Promise<void> {
  for (;;) {
    const leftMs = deadline.leftMs(sinceMs, limitMs);
    if (leftMs < 0) throw deadline.clientLeft ? new ClientLeft() : over();
    if ((await call.start(leftMs)) === 'started') return;
  }
}

async function refusal(relay: Ports<'ctx'>, routed: Routed, exchange: Exchange): Promise<Error> {
  const startedAtMs = relay.ctx.now();
  const { call, deadline } = exchange;
  let bodyText = '';
  try {
    const raw = await collect(call, MAX_ERROR_BYTES, () =>
      deadline.leftMs(startedAtMs, ERROR_BODY_WAIT_MS),
    );
    bodyText = (await decodeBody(raw, call.headers, MAX_ERROR_BYTES)).toString('utf8');
  } catch {
    // The status alone already says that the attempt failed; a body that does not come adds nothing.
  }
  return refusedAttempt(
    relay,
    routed,
    readUpstreamError({
      status: call.status,
      headers: call.headers,
      bodyText,
      nowMs: relay.ctx.now(),
    }),
  );
}

interface OpenBody extends Exchange {
  readonly source: ByteSource;
  readonly reader: FrameReader;
}

async function wholeAnswer(
  relay: Ports<'ctx' | 'features' | 'pools'>,
  routed: Routed,
  exchange: Exchange,
  sinceMs: number,
): Promise<WholeAnswer> {
  const { call, deadline } = exchange;
  const maxBytes = relay.ctx.config.maxAnswerMb * 1024 * 1024;
  const limitMs = answerLimitMs(relay, routed);
  const encoded = await collect(call, maxBytes, () => deadline.leftMs(sinceMs, limitMs));
  const plain = await decodeBody(encoded, call.headers, maxBytes);
  const decoded = bytesWithoutKeys(plain, [exchange.choice.key]);
  const { pair } = routed.route.plan;
  if (pair === undefined) {
    let arrived: ArrivedBody = { bytes: decoded, type: typeOf(call) };
    for (const complete of relay.features.ofRoute(routed.route.plan).complete)
      arrived = await complete(relay, routed, exchange, { first: arrived, sinceMs });
    return finished(relay, routed, exchange, readEndpointAnswer(answerReading(routed), arrived));
  }
  const text = decoded.toString('utf8');
  const answer = looksLikeEvents(text)
    ? collectText(relay, routed, sumFor(relay, routed, pair), text)
    : readWhole(relay, routed, pair, text);
  return finished(relay, routed, exchange, answer);
}

/** The upstream streams although no stream was requested. */
async function collectedAnswer(
  relay: Ports<'ctx'>,
  routed: Routed,
  { source, reader, sum, ...exchange }: OpenBody & { readonly sum: AnswerSum },
  sinceMs: number,
): Promise<WholeAnswer> {
  const collected = await collectStream(
    relay,
    routed,
    { source, reader, sum },
    {
      deadline: exchange.deadline,
      sinceMs,
      idleMs: idleLimitMs(relay, routed),
      limitMs: answerLimitMs(relay, routed),
      maxBytes: relay.ctx.config.maxAnswerMb * 1024 * 1024,
    },
  );
  exchange.call.letGo();
  return finished(relay, routed, exchange, collected);
}

function finished(
  relay: Ports<'ctx'>,
  routed: Routed,
  exchange: Exchange,
  plain: PlainAnswer,
): WholeAnswer {
  if (plain.error !== undefined) throw refusedAttempt(relay, routed, plain.error);
  if (!plain.hasAnswer && !asksForBackground(routed)) throw new AppError('upstream_empty');
  const { call, deadline, credentials, choice } = exchange;
  return { kind: 'whole', plain, call, deadline, credentials, choice };
}

function typeOf({ headers }: UpstreamCall): string {
  return String(headers['content-type'] ?? '').toLowerCase();
}

/**
 * Whether the body is raw audio: neither JSON, which may be an error or encoded audio, nor events.
 */
function isAudioBody({ incoming }: Routed, contentType: string): boolean {
  if (incoming.endpoint !== 'speech') return false;
  return !/^(application\/json|text\/)/.test(contentType);
}

/** Waits for the first bytes; a failure before them may be retried elsewhere. */
async function audioAnswer(
  exchange: Omit<OpenBody, 'reader'>,
  sinceMs: number,
  { limitMs, over }: FirstWait,
): Promise<AudioAnswer> {
  const { source, deadline, call } = exchange;
  for (;;) {
    const leftMs = deadline.leftMs(sinceMs, limitMs);
    if (leftMs < 0) throw deadline.clientLeft ? new ClientLeft() : over();
    const batch = await nextBatch(source, leftMs);
    if (batch === 'ended') throw new AppError('upstream_garbled');
    if (typeof batch === 'string' || batch.length === 0) continue;
    return { ...exchange, kind: 'audio', first: batch, contentType: typeOf(call) };
  }
}
