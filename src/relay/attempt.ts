/**
 * One attempt: build the request for a channel, send it, wait for the first real frame or the whole
 * answer. What fails here has cost the client nothing yet and may be tried elsewhere.
 */

import { type PlainAnswer, readPlainAnswer } from '../dialects/openai/plain-answer.ts';
import { AppError } from '../domain/errors.ts';
import { parseJson } from '../providers/json.ts';
import { errorInside200, readUpstreamError } from '../providers/upstream-error.ts';
import type { Choice } from './choose.ts';
import { collectStream, collectText, looksLikeEvents } from './collect-answer.ts';
import { decodeBody, decodedSource } from './content-encoding.ts';
import { brokenAttempt, refusedAttempt } from './failures.ts';
import { Patience } from './patience.ts';
import { answerIdentity, type CallRecord, clientModel } from './record.ts';
import type { Relay } from './relay-context.ts';
import { type SseEvent, SseReader } from './sse.ts';
import { type ByteSource, collect, UpstreamCall } from './upstream-call.ts';
import { ClientLeft } from './upstream-failure.ts';
import { upstreamRequest } from './upstream-request.ts';

export interface Exchange {
  readonly call: UpstreamCall;
  readonly patience: Patience;
}

/** The upstream answers in one piece. */
export interface WholeAnswer extends Exchange {
  readonly kind: 'whole';
  readonly plain: PlainAnswer;
}

/** The upstream streams; its first events are here, the rest is still to come. */
export interface StreamAnswer extends Exchange {
  readonly kind: 'stream';
  /** The body of `call`, decoded. */
  readonly source: ByteSource;
  readonly reader: SseReader;
  readonly first: readonly SseEvent[];
}

export type Answer = WholeAnswer | StreamAnswer;

/** Models that think long before the first token get twice the usual silence. */
const SLOW_STARTERS = /^(o1|o3)/;
const MAX_ERROR_BYTES = 256 * 1024;
const ERROR_BODY_WAIT_MS = 10_000;

/** @throws UpstreamFailure, ClientLeft, AppError (our own refusal: never retried). */
export async function attempt(relay: Relay, record: CallRecord, choice: Choice): Promise<Answer> {
  let exchange: Exchange | undefined;
  try {
    exchange = open(relay, record, choice);
    return await firstAnswer(relay, record, exchange);
  } catch (error) {
    exchange?.call.abort();
    throw brokenAttempt(relay, record, error);
  }
}

function open(relay: Relay, record: CallRecord, choice: Choice): Exchange {
  const request = upstreamRequest(relay, record, choice);
  const pool = relay.pools.poolFor(request.origin, choice.channel.setting.proxy);
  const call = new UpstreamCall(pool, request);
  const { clientGraceMs } = relay.ctx.config;
  const patience = new Patience(record.incoming.client, clientGraceMs, relay.ctx.now);
  patience.watch(call);
  return { call, patience };
}

async function firstAnswer(relay: Relay, record: CallRecord, exchange: Exchange): Promise<Answer> {
  const { call } = exchange;
  const startedAtMs = relay.ctx.now();
  const limitMs = firstWaitMs(relay, record);
  await waitForHeaders(exchange, startedAtMs, limitMs);
  if (call.status < 200 || call.status >= 300) throw await refusal(relay, record, exchange);
  if (!isEventStream(call.headers['content-type']))
    return wholeAnswer(relay, record, exchange, startedAtMs);
  const source = decodedSource(call, call.headers);
  return record.intent.stream
    ? firstEvents(relay, record, { ...exchange, source }, startedAtMs)
    : collectedAnswer(relay, record, { ...exchange, source }, startedAtMs);
}

/** A stream has to begin within the idle bound; a whole answer may take as long as the operator allows. */
function firstWaitMs(relay: Relay, record: CallRecord): number {
  return record.intent.stream ? idleLimitMs(relay, record) : relay.ctx.config.relayTimeoutMs;
}

/** The longest silence of a stream. */
export function idleLimitMs(relay: Relay, record: CallRecord): number {
  const { streamIdleTimeoutMs } = relay.ctx.config;
  return SLOW_STARTERS.test(record.upstreamModel) ? streamIdleTimeoutMs * 2 : streamIdleTimeoutMs;
}

async function waitForHeaders(exchange: Exchange, sinceMs: number, limitMs: number): Promise<void> {
  for (;;) {
    const leftMs = exchange.patience.leftMs(sinceMs, limitMs);
    if (leftMs < 0)
      throw exchange.patience.clientLeft ? new ClientLeft() : new AppError('upstream_timeout');
    if ((await exchange.call.start(leftMs)) === 'started') return;
  }
}

async function refusal(relay: Relay, record: CallRecord, exchange: Exchange): Promise<Error> {
  const startedAtMs = relay.ctx.now();
  const { call, patience } = exchange;
  let bodyText = '';
  try {
    const raw = await collect(call, MAX_ERROR_BYTES, () =>
      patience.leftMs(startedAtMs, ERROR_BODY_WAIT_MS),
    );
    bodyText = (await decodeBody(raw, call.headers, MAX_ERROR_BYTES)).toString('utf8');
  } catch {
    // The status alone already says that the attempt failed; a body that does not come adds nothing.
  }
  return refusedAttempt(
    relay,
    record,
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
}

/** Reads until something real arrives. Comments before it are not passed on: no status is out yet. */
async function firstEvents(
  relay: Relay,
  record: CallRecord,
  exchange: OpenBody,
  sinceMs: number,
): Promise<StreamAnswer> {
  const { source, patience } = exchange;
  const reader = new SseReader();
  for (;;) {
    const leftMs = patience.leftMs(sinceMs, idleLimitMs(relay, record));
    if (leftMs < 0) throw patience.clientLeft ? new ClientLeft() : new AppError('upstream_timeout');
    const batch = await source.next(leftMs);
    if (batch === 'waited' || batch === 'interrupted') continue;
    const events = batch === 'ended' ? reader.end() : batch.flatMap((chunk) => reader.push(chunk));
    const at = events.findIndex(isReal);
    if (at >= 0) {
      refuseErrorEvent(relay, record, events[at]);
      return { ...exchange, kind: 'stream', reader, first: events.slice(at) };
    }
    if (batch === 'ended') throw new AppError('upstream_garbled');
  }
}

/** Neither a comment nor nonsense: JSON, or the end of an answer without content. */
function isReal(event: SseEvent): boolean {
  if (event.kind !== 'data') return false;
  const json = parseJson(event.data);
  return (typeof json === 'object' && json !== null) || event.data.startsWith('[DONE]');
}

/** An error as the very first frame is an answer with a status of its own, not a stream. */
function refuseErrorEvent(relay: Relay, record: CallRecord, event: SseEvent | undefined): void {
  if (event?.kind !== 'data') return;
  const error = errorInside200(parseJson(event.data));
  if (error !== undefined) throw refusedAttempt(relay, record, error);
}

async function wholeAnswer(
  relay: Relay,
  record: CallRecord,
  exchange: Exchange,
  sinceMs: number,
): Promise<WholeAnswer> {
  const { call, patience } = exchange;
  const { relayTimeoutMs, maxAnswerMb } = relay.ctx.config;
  const maxBytes = maxAnswerMb * 1024 * 1024;
  const encoded = await collect(call, maxBytes, () => patience.leftMs(sinceMs, relayTimeoutMs));
  const text = (await decodeBody(encoded, call.headers, maxBytes)).toString('utf8');
  const json = looksLikeEvents(text) ? JSON.stringify(collectText(relay, record, text)) : text;
  return readWhole(relay, record, exchange, json);
}

/** The upstream streams though nobody asked it to. */
async function collectedAnswer(
  relay: Relay,
  record: CallRecord,
  { source, ...exchange }: OpenBody,
  sinceMs: number,
): Promise<WholeAnswer> {
  const json = await collectStream(relay, record, source, {
    patience: exchange.patience,
    sinceMs,
    idleMs: idleLimitMs(relay, record),
    maxBytes: relay.ctx.config.maxAnswerMb * 1024 * 1024,
  });
  exchange.call.letGo();
  return readWhole(relay, record, exchange, JSON.stringify(json));
}

function readWhole(
  relay: Relay,
  record: CallRecord,
  exchange: Exchange,
  text: string,
): WholeAnswer {
  const model = clientModel(record);
  const plain = readPlainAnswer(text, {
    endpoint: record.incoming.endpoint,
    ...(model === undefined ? {} : { clientModel: model }),
    ...(record.channel?.setting.forceFormat ? { strict: answerIdentity(record) } : {}),
  });
  if (plain.error !== undefined) throw refusedAttempt(relay, record, plain.error);
  return { ...exchange, kind: 'whole', plain };
}

function isEventStream(contentType: string | string[] | undefined): boolean {
  return String(contentType ?? '')
    .toLowerCase()
    .startsWith('text/event-stream');
}
