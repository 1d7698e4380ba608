/** Selects the stream reader by the client's and the upstream's dialect. */
import {
  ChatStreamReader,
  type FrameReshaper,
} from '../../dialects/openai/answer/stream-reader.ts';
import { StrictFormat } from '../../dialects/openai/answer/strict-format.ts';
import { ThinkingToContent } from '../../dialects/openai/answer/thinking-to-content.ts';
import { imageParams } from '../billing/billed-quantities.ts';
import {
  answerIdentity,
  type CallRecord,
  clientModel,
  ignoresUsage,
  isSideEvent,
  streamEndpoint,
} from '../call/call-record.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import { isImages, isReadInFull } from './openai-endpoint-answer.ts';
import { EventReader } from './openai-event-reader.ts';
import { type AnswerReader, ChatAnswerReader } from './stream-reader.ts';
import { dialectReading } from './translated-answer.ts';
import { dialectReader } from './translated-stream-reader.ts';

/**
 * The reader for a stream of this call: decides which bytes are forwarded, and counts what was
 * delivered.
 */
export function readerFor(relay: Relay, record: CallRecord): AnswerReader {
  const { endpoint } = record.incoming;
  if (isReadInFull(endpoint))
    return new EventReader(isImages(endpoint) ? (imageParams(record).n ?? 1) : 1);
  const reading = dialectReading(relay, record);
  if (reading !== undefined) return dialectReader(reading);
  return new ChatAnswerReader(chatReader(record), (event) => isSideEvent(record, event));
}

function chatReader(record: CallRecord): ChatStreamReader {
  const endpoint = streamEndpoint(record);
  const identity = answerIdentity(record);
  const model = clientModel(record);
  const setting = record.channel?.setting;
  const reshapers: FrameReshaper[] = [];
  if (setting?.forceFormat) reshapers.push(new StrictFormat(endpoint, identity));
  if (setting?.thinkingToContent) reshapers.push(new ThinkingToContent());
  return new ChatStreamReader({
    endpoint,
    clientAskedUsage: record.intent.wantsUsage,
    ignoresUsage: ignoresUsage(record),
    identity,
    ...(model === undefined ? {} : { clientModel: model }),
    reshapers,
  });
}
