/**
 * How chat and text completions pass from an upstream to a client of the same dialect: the bytes as
 * they are, changed only where the client must not see the original.
 */
import { toOpenAiUsage } from '../../../domain/pricing/usage.ts';
import { isObject, type JsonObject, parseJson } from '../../../json/read-json.ts';
import type { UpstreamError } from '../../../upstream-errors/upstream-error.ts';
import type {
  AnswerSum,
  ForwardedReading,
  ForwardingReaders,
  PlainAnswer,
} from '../../hub/answer/answer-reader.ts';
import { dataFrame, type StreamFrame } from '../../hub/answer/frames.ts';
import { ChunkCollector } from './collect-stream.ts';
import { readPlainAnswer } from './plain-answer.ts';
import { pseudoStream } from './pseudo-stream.ts';
import { ChatStreamReader, type FrameReshaper, type TextEndpoint } from './stream-reader.ts';
import { StrictFormat } from './strict-format.ts';
import { ThinkingToContent } from './thinking-to-content.ts';

export function forwardedAnswers(endpoint: TextEndpoint): ForwardingReaders {
  return {
    stream: (reading) => new ChatStreamReader(endpoint, reading, reshapersFor(endpoint, reading)),
    whole: (text, reading) => wholeAnswer(endpoint, text, reading),
    sum: (reading) => new ChunkSum(endpoint, reading),
  };
}

function reshapersFor(
  endpoint: TextEndpoint,
  { forceFormat, thinkingToContent, identity }: ForwardedReading,
): readonly FrameReshaper[] {
  const reshapers: FrameReshaper[] = [];
  if (forceFormat) reshapers.push(new StrictFormat(endpoint, identity));
  if (thinkingToContent) reshapers.push(new ThinkingToContent());
  return reshapers;
}

function wholeAnswer(
  endpoint: TextEndpoint,
  text: string,
  { clientModel, ignoresUsage = false, forceFormat, identity, clientAskedUsage }: ForwardedReading,
): PlainAnswer {
  const strict = forceFormat ? identity : undefined;
  const plain = readPlainAnswer(text, { endpoint, clientModel, ignoresUsage, strict });
  const { usage, counted, delivered, finishReasons, hasAnswer, error } = plain;
  // By name: a function beside a spread costs tens of microseconds (docs/performance.md).
  return {
    text: plain.text,
    json: plain.json,
    usage,
    counted,
    delivered,
    finishReasons,
    hasAnswer,
    error,
    frames: (usage) => {
      const isReported = usage === undefined || (!usage.isEstimated && isObject(plain.json.usage));
      const json = isReported ? plain.json : { ...plain.json, usage: { ...toOpenAiUsage(usage) } };
      return pseudoStream(json, { endpoint, clientAskedUsage }).map(dataFrame).join('');
    },
  };
}

class ChunkSum implements AnswerSum {
  readonly #endpoint: TextEndpoint;
  readonly #reading: ForwardedReading;
  readonly #reader: ChatStreamReader;
  readonly #chunks: ChunkCollector;

  constructor(endpoint: TextEndpoint, reading: ForwardedReading) {
    this.#endpoint = endpoint;
    this.#reading = reading;
    this.#reader = new ChatStreamReader(endpoint, { ...reading, ignoresUsage: false });
    this.#chunks = new ChunkCollector(endpoint);
  }

  get isOver(): boolean {
    return this.#reader.sawDone;
  }

  add(frame: StreamFrame): UpstreamError | undefined {
    this.#reader.read(frame);
    const chunk = parseJson(frame.data);
    if (this.#reader.error === undefined && isObject(chunk)) this.#chunks.add(chunk);
    return this.#reader.error;
  }

  end(): undefined {
    return undefined;
  }

  answer(): PlainAnswer | undefined {
    if (!this.#reader.isComplete) return undefined;
    const json: JsonObject = this.#chunks.answer(this.#reader.usage);
    return wholeAnswer(this.#endpoint, JSON.stringify(json), this.#reading);
  }
}
