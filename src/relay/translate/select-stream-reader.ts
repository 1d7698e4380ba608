/** Selects the stream reader by the client's and the upstream's dialect. */
import {
  ChatStreamReader,
  type FrameReshaper,
} from '../../dialects/openai/answer/stream-reader.ts';
import { StrictFormat } from '../../dialects/openai/answer/strict-format.ts';
import { ThinkingToContent } from '../../dialects/openai/answer/thinking-to-content.ts';
import {
  answerIdentity,
  clientModel,
  ignoresUsage,
  imageParams,
  isSideEvent,
  streamEndpoint,
} from '../call/call-facts.ts';
import type { Routed } from '../call/call-stages.ts';
import type { Ports } from '../call/relay-ports.ts';
import { isImages, isReadInFull } from './openai-endpoint-answer.ts';
import { EventReader } from './openai-event-reader.ts';
import { type AnswerReader, ChatAnswerReader } from './stream-reader.ts';
import { dialectReading } from './translated-answer.ts';
import { dialectReader } from './translated-stream-reader.ts';

/**
 * The reader for a stream of this call: decides which bytes are forwarded, and counts what was
 * delivered.
 */
export function readerFor(relay: Ports<'ctx'>, call: Routed): AnswerReader {
  const { endpoint } = call.incoming;
  if (isReadInFull(endpoint))
    return new EventReader(isImages(endpoint) ? (imageParams(call).n ?? 1) : 1);
  const reading = dialectReading(relay, call);
  if (reading !== undefined) return dialectReader(reading);
  return new ChatAnswerReader(chatReader(call), (event) => isSideEvent(call, event));
}

function chatReader(call: Routed): ChatStreamReader {
  const endpoint = streamEndpoint(call);
  const identity = answerIdentity(call);
  const model = clientModel(call);
  const { setting } = call.channel;
  const reshapers: FrameReshaper[] = [];
  if (setting.forceFormat) reshapers.push(new StrictFormat(endpoint, identity));
  if (setting.thinkingToContent) reshapers.push(new ThinkingToContent());
  return new ChatStreamReader({
    endpoint,
    clientAskedUsage: call.intent.wantsUsage,
    ignoresUsage: ignoresUsage(call),
    identity,
    ...(model === undefined ? {} : { clientModel: model }),
    reshapers,
  });
}
