/** What a test request found out, from the answer of the upstream. */

import { AnswerCollector, type HubAnswer } from '../dialects/hub/answer/answer.ts';
import type { PlainAnswer } from '../dialects/hub/answer/answer-reader.ts';
import type { HubEvent } from '../dialects/hub/answer/events.ts';
import { hasAnswer } from '../dialects/hub/answer/has-answer.ts';
import { textOfBlocks } from '../dialects/hub/blocks.ts';
import type { AnswerContext, UpstreamDialect } from '../dialects/hub/dialect.ts';
import { AppError } from '../domain/errors/errors.ts';
import { upstreamStatusError } from '../domain/errors/upstream-status.ts';
import type { GatewayEvent } from '../domain/logs/events.ts';
import { emptyUsage, readOpenAiUsage, totalInput, totalOutput } from '../domain/pricing/usage.ts';
import { isObject, parseJson } from '../json/read-json.ts';
import { storedError } from '../locales/event-text.ts';
import type { Reply } from '../relay/http/channel-exchange.ts';
import { type FrameReader, frameReaderOf } from '../relay/http/framing.ts';
import { type Keyed, withoutKeys } from '../relay/http/redact-repeated-keys.ts';
import { SseReader } from '../relay/http/sse.ts';
import { looksLikeEvents } from '../relay/stages/collect-stream.ts';
import { deliveredBy } from '../relay/translate/translated-answer.ts';
import { errorInSuccess } from '../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../upstream-errors/upstream-error.ts';

const MAX_ANSWER_CHARS = 200;

export interface TestOutcome {
  /** 0 when there was no answer. */
  readonly status: number;
  /** What went wrong, for `storedText`; '' on success. */
  readonly message: string;
  /** The upstream's error code or the gateway's; '' on success. */
  readonly code: string;
  /** Set when the answer took too long. */
  readonly slow?: GatewayEvent;
  /** The upstream's error, if it returned one. */
  readonly error?: UpstreamError;
  readonly firstTokenMs: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The start of the model's answer. */
  readonly answer: string;
}

const EMPTY_OUTCOME = { firstTokenMs: 0, promptTokens: 0, completionTokens: 0, answer: '' };

/** Success without a text to show. */
export function successOutcome(status: number): TestOutcome {
  return { ...EMPTY_OUTCOME, status, message: '', code: '' };
}

export function answerOutcome(
  status: number,
  { usage, delivered }: Pick<PlainAnswer, 'usage' | 'delivered'>,
): TestOutcome {
  const answer = delivered.text.slice(0, MAX_ANSWER_CHARS);
  return { ...successOutcome(status), ...tokensOf(usage), answer };
}

export function upstreamErrorOutcome(status: number, error: UpstreamError): TestOutcome {
  return {
    ...EMPTY_OUTCOME,
    status,
    message: error.message || storedError(upstreamStatusError(error)),
    code: error.code || error.type,
    error,
  };
}

/** Of a conversation, in the dialect of the upstream. */
export function dialectOutcome(
  { status, text, bytes, headers, firstByteAtMs }: Reply,
  dialect: UpstreamDialect,
  { startedAtMs, keys }: { readonly startedAtMs: number; readonly keys: readonly Keyed[] },
): TestOutcome {
  const named = frameReaderOf(headers['content-type']);
  const frames = named ?? (looksLikeEvents(text) ? new SseReader() : undefined);
  const read = frames === undefined ? readWhole(text, dialect) : readStream(bytes, frames, dialect);
  if (read instanceof AppError) return errorOutcome(status, read);
  if (!('blocks' in read)) return upstreamErrorOutcome(read.status, withoutKeys(read, keys));
  const { usage = emptyUsage() } = read;
  const shown = textOfBlocks(read.blocks, '') || deliveredBy(read).text;
  return {
    status,
    message: '',
    code: '',
    firstTokenMs: frames === undefined ? 0 : firstByteAtMs - startedAtMs,
    promptTokens: totalInput(usage),
    completionTokens: totalOutput(usage),
    answer: shown.slice(0, MAX_ANSWER_CHARS),
  };
}

const CONTEXT: AnswerContext = { id: 'trial', createdSec: 0, model: '', tools: [] };

/** The answer, or why there is none. */
type ReadAnswer = HubAnswer | UpstreamError | AppError;

function readWhole(text: string, dialect: UpstreamDialect): ReadAnswer {
  const json = parseJson(text);
  const refused = dialect.readError(json) ?? errorInSuccess(json);
  if (refused !== undefined) return refused;
  if (!isObject(json)) return new AppError('upstream_garbled');
  const answer = dialect.readAnswer(json, CONTEXT);
  if (answer.error !== undefined) return answer.error;
  const facts = { delivered: deliveredBy(answer), usage: answer.usage, stops: [answer.stop] };
  return hasAnswer(facts) ? answer : new AppError('upstream_empty');
}

function readStream(bytes: Buffer, reader: FrameReader, dialect: UpstreamDialect): ReadAnswer {
  const decoder = dialect.decoder(CONTEXT);
  const frames = [...reader.push(bytes), ...reader.end()];
  const decoded = frames.flatMap((frame) => (frame.kind === 'data' ? decoder.decode(frame) : []));
  const events: readonly HubEvent[] = [...decoded, ...decoder.end()];
  const error = events.find((event) => event.kind === 'error')?.error;
  if (error !== undefined) return error;
  if (!decoder.isComplete) return new AppError('upstream_broke_off');
  const collector = new AnswerCollector();
  collector.add(events);
  return collector.answer();
}

/** The gateway's own error; status 0 without an answer. */
export function errorOutcome(status: number, error: AppError): TestOutcome {
  return { ...EMPTY_OUTCOME, status, message: storedError(error), code: error.code };
}

function tokensOf(reported: PlainAnswer['usage']) {
  if (reported === undefined) return { promptTokens: 0, completionTokens: 0 };
  const usage = readOpenAiUsage(reported) ?? emptyUsage();
  return { promptTokens: totalInput(usage), completionTokens: totalOutput(usage) };
}
