/** What a test request found out, from the answer of the upstream. */

import type { PlainAnswer } from '../dialects/hub/answer/answer-reader.ts';
import { textOfBlocks } from '../dialects/hub/blocks.ts';
import type { UpstreamDialect } from '../dialects/hub/dialect.ts';
import { readPlainAnswer } from '../dialects/openai/answer/plain-answer.ts';
import { ChatStreamReader } from '../dialects/openai/answer/stream-reader.ts';
import { AppError } from '../domain/errors/errors.ts';
import { upstreamStatusError } from '../domain/errors/upstream-status.ts';
import type { GatewayEvent } from '../domain/logs/events.ts';
import { emptyUsage, readOpenAiUsage, totalInput, totalOutput } from '../domain/pricing/usage.ts';
import { storedError } from '../locales/event-text.ts';
import type { Reply } from '../relay/http/channel-exchange.ts';
import { type Keyed, withoutKeys } from '../relay/http/redact-repeated-keys.ts';
import { SseReader } from '../relay/http/sse.ts';
import type { UpstreamError } from '../upstream-errors/upstream-error.ts';
import { readTestAnswer } from './dialect-test.ts';

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

export function plainOutcome(reply: Reply, keys: readonly Keyed[]): TestOutcome {
  const plain = readPlainAnswer(reply.text, { endpoint: 'chat' });
  if (plain.error !== undefined)
    return upstreamErrorOutcome(plain.error.status, withoutKeys(plain.error, keys));
  if (!plain.hasAnswer) return errorOutcome(reply.status, new AppError('upstream_empty'));
  return answerOutcome(reply.status, plain);
}

interface StreamFacts {
  readonly startedAtMs: number;
  readonly model: string;
  readonly keys: readonly Keyed[];
}

export function streamOutcome(
  reply: Reply,
  { startedAtMs, model, keys }: StreamFacts,
): TestOutcome {
  const sse = new SseReader();
  const reader = new ChatStreamReader('chat', {
    clientAskedUsage: false,
    identity: { id: '', createdSec: 0, model },
  });
  const bytes = Buffer.from(reply.text);
  for (const event of [...sse.push(bytes), ...sse.end()])
    if (event.kind === 'data') reader.readData(event.data);
  if (reader.error !== undefined)
    return upstreamErrorOutcome(reader.error.status, withoutKeys(reader.error, keys));
  if (!reader.isComplete) return errorOutcome(reply.status, new AppError('upstream_broke_off'));
  return {
    status: reply.status,
    message: '',
    code: '',
    firstTokenMs: reply.firstByteAtMs - startedAtMs,
    ...tokensOf(reader.usage),
    answer: reader.delivered.text.slice(0, MAX_ANSWER_CHARS),
  };
}

export function dialectOutcome(
  reply: Reply,
  dialect: UpstreamDialect,
  facts: StreamFacts,
): TestOutcome {
  const { startedAtMs, keys } = facts;
  const { answer, error, isStream } = readTestAnswer(reply, dialect);
  if (error !== undefined) return upstreamErrorOutcome(error.status, withoutKeys(error, keys));
  if (answer === undefined) return errorOutcome(reply.status, new AppError('upstream_garbled'));
  const { usage = emptyUsage() } = answer;
  return {
    status: reply.status,
    message: '',
    code: '',
    firstTokenMs: isStream ? reply.firstByteAtMs - startedAtMs : 0,
    promptTokens: totalInput(usage),
    completionTokens: totalOutput(usage),
    answer: textOfBlocks(answer.blocks, '').slice(0, MAX_ANSWER_CHARS),
  };
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
