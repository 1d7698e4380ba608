/** Selects the readers of answers by the client's and the upstream's dialect. */
import type {
  AnswerReader,
  AnswerSum,
  ForwardedReading,
  PlainAnswer,
} from '../../dialects/hub/answer/answer-reader.ts';
import type { DialectPair } from '../../dialects/hub/dialect.ts';
import type { Routed } from '../call/admitted.ts';
import {
  answerIdentity,
  clientModel,
  ignoresUsage,
  imageParams,
  isSideEvent,
} from '../call/call-facts.ts';
import { forwardingReaders } from '../call/dialect-pair.ts';
import type { Ports } from '../call/relay-ports.ts';
import { isImages } from './openai-endpoint-answer.ts';
import { EventReader } from './openai-event-reader.ts';
import { DialectSum, dialectReading, readDialectAnswer } from './translated-answer.ts';
import { dialectReader } from './translated-stream-reader.ts';

/**
 * The reader for a stream of this call: decides which bytes are forwarded, and counts what was
 * delivered.
 */
export function readerFor(relay: Ports<'ctx'>, call: Routed): AnswerReader {
  const { endpoint, pair } = call.route.plan;
  if (pair === undefined)
    return new EventReader(isImages(endpoint) ? (imageParams(call).n ?? 1) : 1);
  const readers = forwardingReaders(pair);
  return readers === undefined
    ? dialectReader(dialectReading(relay, call, pair))
    : readers.stream(forwardedReading(call));
}

/** Reads a whole answer. @throws AppError upstream_garbled when the text is not a JSON object. */
export function readWhole(
  relay: Ports<'ctx'>,
  call: Routed,
  pair: DialectPair,
  text: string,
): PlainAnswer {
  const readers = forwardingReaders(pair);
  return readers === undefined
    ? readDialectAnswer(text, dialectReading(relay, call, pair))
    : readers.whole(text, forwardedReading(call));
}

/** Collects a stream of this call into a whole answer. */
export function sumFor(relay: Ports<'ctx'>, call: Routed, pair: DialectPair): AnswerSum {
  const readers = forwardingReaders(pair);
  return readers === undefined
    ? new DialectSum(dialectReading(relay, call, pair))
    : readers.sum(forwardedReading(call));
}

function forwardedReading(call: Routed): ForwardedReading {
  const { forceFormat, thinkingToContent } = call.route.channel.setting;
  return {
    identity: answerIdentity(call),
    clientAskedUsage: call.intent.wantsUsage,
    clientModel: clientModel(call),
    ignoresUsage: ignoresUsage(call),
    forceFormat,
    thinkingToContent,
    isSideEvent: (event) => isSideEvent(call, event),
  };
}
