/** A whole answer (not a stream): read for the books, and changed only where the client must not see it. */
import { AppError } from '../../domain/errors/errors.ts';
import { readOpenAiUsage, type Usage } from '../../domain/pricing/usage.ts';
import { renderJson } from '../../json/edit-json-text.ts';
import {
  isObject,
  type JsonObject,
  objectIn,
  objectsIn,
  parseJson,
  textIn,
} from '../../json/read-json.ts';
import { errorInside200 } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import { isAnswered } from '../hub/answered.ts';
import { stopOfChat } from '../hub/stop.ts';
import { Delivered } from './delivered.ts';
import type { AnswerIdentity } from './stream-reader.ts';
import { strictAnswer } from './strict-format.ts';
import { findUsage } from './usage-reader.ts';
import type { CheckedEndpoint } from './validate.ts';

export interface PlainReading {
  readonly endpoint: CheckedEndpoint;
  /** The name the client knows, when the upstream was asked for another. */
  readonly clientModel?: string;
  /** What the upstream counts means nothing. */
  readonly ignoresUsage?: boolean;
  /** Rewrite to OpenAI's form (`force_format`); the identity fills what is missing. */
  readonly strict?: AnswerIdentity;
}

export interface PlainAnswer {
  /** What to send: the text as it came, but for the name of the model. */
  readonly text: string;
  readonly json: JsonObject;
  /** As the upstream reported it. */
  readonly usage: JsonObject | undefined;
  /** The same, where another dialect's reader has understood it already. */
  readonly counted?: Usage | undefined;
  /** The answer as the frames of a stream, where this dialect's own are not meant. */
  readonly frames?: (usage: Usage | undefined) => string;
  /** How many of what a price per call buys: pictures, searches. */
  readonly units?: number;
  /** Of an answer that is not JSON. */
  readonly contentType?: string;
  /** The answer itself, where it is sound; `text` is empty then. */
  readonly sound?: Buffer;
  readonly delivered: Delivered;
  readonly finishReasons: readonly string[];
  /** False for a body without content, usage or any other sign that the model was asked. */
  readonly isAnswered: boolean;
  /** The upstream failed and said so with status 200: neither sent nor billed. */
  readonly error: UpstreamError | undefined;
}

/**
 * @throws AppError upstream_garbled when the text is not a JSON object. Blank lines before it are the
 * keep-alive of queueing providers.
 */
export function readPlainAnswer(text: string, reading: PlainReading): PlainAnswer {
  const parsed = parseJson(text);
  const error = errorInside200(parsed);
  if (!isObject(parsed) && error === undefined) throw new AppError('upstream_garbled');
  const json = isObject(parsed) ? parsed : {};
  const choices = objectsIn(json, 'choices');
  const delivered = new Delivered();
  if (error === undefined) {
    for (const [index, choice] of choices.entries()) {
      delivered.addMessage(objectIn(choice, 'message') ?? {}, index);
      delivered.add(textIn(choice, 'text') ?? '');
    }
  }
  const next = error === undefined ? reshape(json, reading) : json;
  const finishReasons = choices.flatMap((choice) => textIn(choice, 'finish_reason') ?? []);
  const usage = reading.ignoresUsage ? undefined : findUsage(json);
  return {
    text: renderJson(text, json, next),
    json: next,
    usage,
    delivered,
    finishReasons,
    isAnswered: isAnswerOf(reading.endpoint, json, { delivered, usage, finishReasons }),
    error,
  };
}

/** The list that an answer of the endpoint holds. */
const LISTS: Readonly<Partial<Record<CheckedEndpoint, string>>> = {
  embeddings: 'data',
  moderations: 'results',
};

function isAnswerOf(
  endpoint: CheckedEndpoint,
  json: JsonObject,
  { delivered, usage, finishReasons }: Pick<PlainAnswer, 'delivered' | 'usage' | 'finishReasons'>,
): boolean {
  const list = LISTS[endpoint];
  if (list !== undefined) return Array.isArray(json[list]);
  if (endpoint !== 'chat' && endpoint !== 'completions') return true;
  const stops = finishReasons.map(stopOfChat);
  return isAnswered({ delivered, usage: readOpenAiUsage(usage), stops });
}

function reshape(json: JsonObject, { endpoint, clientModel, strict }: PlainReading): JsonObject {
  const isNamed = typeof json.model === 'string' && json.model !== '';
  const named = clientModel !== undefined && isNamed ? { ...json, model: clientModel } : json;
  const isText = endpoint === 'chat' || endpoint === 'completions';
  return strict !== undefined && isText ? strictAnswer(named, endpoint, strict) : named;
}
