/** Reads the answer to a channel test from an upstream that does not use OpenAI's chat dialect. */
import { AnswerCollector, type HubAnswer } from '../dialects/hub/answer/answer.ts';
import type { HubEvent } from '../dialects/hub/answer/events.ts';
import type { AnswerContext, UpstreamDialect } from '../dialects/hub/dialect.ts';
import { isObject, parseJson } from '../json/read-json.ts';
import type { Reply } from '../relay/http/channel-exchange.ts';
import { type FrameReader, frameReaderOf } from '../relay/http/framing.ts';
import { SseReader } from '../relay/http/sse.ts';
import { looksLikeEvents } from '../relay/stages/collect-stream.ts';
import type { UpstreamError } from '../upstream-errors/upstream-error.ts';

interface TestAnswer {
  /** Undefined when there is no complete answer. */
  readonly answer: HubAnswer | undefined;
  readonly error: UpstreamError | undefined;
  readonly isStream: boolean;
}

const CONTEXT: AnswerContext = { id: 'trial', createdSec: 0, model: '', tools: [] };

export function readTestAnswer(reply: Reply, dialect: UpstreamDialect): TestAnswer {
  const { text, bytes, headers } = reply;
  const named = frameReaderOf(headers['content-type']);
  const reader = named ?? (looksLikeEvents(text) ? new SseReader() : undefined);
  if (reader !== undefined) return readStream(bytes, reader, dialect);
  const json = parseJson(text);
  const refused = dialect.readError(json);
  const isAnswer = isObject(json) && refused === undefined;
  const answer = isAnswer ? dialect.readAnswer(json, CONTEXT) : undefined;
  const error = refused ?? answer?.error;
  const isEmpty = answer?.blocks.length === 0 && answer.usage === undefined;
  return { answer: isEmpty ? undefined : answer, error, isStream: false };
}

function readStream(bytes: Buffer, reader: FrameReader, dialect: UpstreamDialect): TestAnswer {
  const decoder = dialect.decoder(CONTEXT);
  const frames = [...reader.push(bytes), ...reader.end()];
  const decoded = frames.flatMap((frame) => (frame.kind === 'data' ? decoder.decode(frame) : []));
  const events: readonly HubEvent[] = [...decoded, ...decoder.end()];
  const collector = new AnswerCollector();
  collector.add(events);
  return {
    answer: decoder.isComplete ? collector.answer() : undefined,
    error: events.find((event) => event.kind === 'error')?.error,
    isStream: true,
  };
}
