/**
 * Reads a whole (not streamed) answer for accounting, and changes it only where the client must not
 * see the original.
 */
import { AppError } from '../../../domain/errors/errors.ts';
import { readOpenAiUsage, type Usage, withTier } from '../../../domain/pricing/usage.ts';
import { renderJson } from '../../../json/edit-json-text.ts';
import {
  isObject,
  type JsonObject,
  objectIn,
  objectsIn,
  parseJson,
  textIn,
} from '../../../json/read-json.ts';
import { errorInSuccess } from '../../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../../upstream-errors/upstream-error.ts';
import { failureOfStop } from '../../hub/answer/failed-stop.ts';
import { hasAnswer } from '../../hub/answer/has-answer.ts';
import { stopOfChat } from '../../hub/answer/stop.ts';
import type { CheckedEndpoint } from '../validate.ts';
import { DeliveredContent } from './delivered-content.ts';
import type { AnswerIdentity } from './stream-reader.ts';
import { strictAnswer } from './strict-format.ts';
import { findUsage } from './usage-reader.ts';

export interface PlainAnswerSource {
  readonly endpoint: CheckedEndpoint;
  /** The client's model name, if the upstream was sent another. */
  readonly clientModel?: string;
  /** The upstream's usage is meaningless and must be ignored. */
  readonly ignoresUsage?: boolean;
  /** Rewrite to OpenAI's format (`force_format`); the identity fills missing fields. */
  readonly strict?: AnswerIdentity;
}

export interface PlainAnswer {
  /** The text to send; unchanged except for the model name and `force_format`. */
  readonly text: string;
  readonly json: JsonObject;
  /** The answer as the client gets it, if it was translated. */
  readonly translated?: JsonObject;
  /** As reported by the upstream. */
  readonly usage: JsonObject | undefined;
  /** The same usage, if it was parsed already. */
  readonly counted?: Usage | undefined;
  /** Builds the answer's stream frames, if they differ from this dialect's. */
  readonly frames?: (usage: Usage | undefined) => string;
  /** Number of units if the price is per unit: images, searches. */
  readonly units?: number;
  /** For an answer that is not JSON. */
  readonly contentType?: string;
  /** The answer if it is audio; `text` is then empty. */
  readonly audio?: Buffer;
  readonly delivered: DeliveredContent;
  readonly finishReasons: readonly string[];
  /** False for a body without content, usage or any other sign that the model ran. */
  readonly hasAnswer: boolean;
  /** The upstream reported a failure with status 200; it is neither sent nor charged. */
  readonly error: UpstreamError | undefined;
}

/**
 * @throws AppError upstream_garbled if the text is not a JSON object. It may start with blank
 * lines, which queueing providers send as keep-alive.
 */
export function readPlainAnswer(text: string, reading: PlainAnswerSource): PlainAnswer {
  const parsed = parseJson(text);
  const reported = errorInSuccess(parsed);
  if (!isObject(parsed) && reported === undefined) throw new AppError('upstream_garbled');
  const json = isObject(parsed) ? parsed : {};
  const choices = objectsIn(json, 'choices');
  const delivered = new DeliveredContent();
  if (reported === undefined) {
    for (const [index, choice] of choices.entries()) {
      delivered.addMessage(objectIn(choice, 'message') ?? {}, index);
      delivered.add(textIn(choice, 'text') ?? '');
    }
  }
  const finishReasons = choices.flatMap((choice) => textIn(choice, 'finish_reason') ?? []);
  const failures = delivered.hasContent
    ? []
    : finishReasons.flatMap((reason) => failureOfStop(reason) ?? []);
  const error = reported ?? failures[0];
  const next = error === undefined ? reshape(json, reading) : json;
  const usage = reading.ignoresUsage ? undefined : findUsage(json);
  const counted = usage && withTier(readOpenAiUsage(usage), json.service_tier);
  return {
    text: renderJson(text, json, next),
    json: next,
    usage,
    counted,
    delivered,
    finishReasons,
    hasAnswer: isAnswerOf(reading.endpoint, json, { delivered, counted, finishReasons }),
    error,
  };
}

/** The list that an answer of the endpoint must contain. */
const LISTS: Readonly<Partial<Record<CheckedEndpoint, string>>> = {
  embeddings: 'data',
  moderations: 'results',
};

function isAnswerOf(
  endpoint: CheckedEndpoint,
  json: JsonObject,
  {
    delivered,
    counted,
    finishReasons,
  }: Pick<PlainAnswer, 'delivered' | 'counted' | 'finishReasons'>,
): boolean {
  const list = LISTS[endpoint];
  if (list !== undefined) return Array.isArray(json[list]);
  if (endpoint !== 'chat' && endpoint !== 'completions') return true;
  const stops = finishReasons.map(stopOfChat);
  return hasAnswer({ delivered, usage: counted, stops });
}

function reshape(
  json: JsonObject,
  { endpoint, clientModel, strict }: PlainAnswerSource,
): JsonObject {
  const isNamed = typeof json.model === 'string' && json.model !== '';
  const named = clientModel !== undefined && isNamed ? { ...json, model: clientModel } : json;
  const isText = endpoint === 'chat' || endpoint === 'completions';
  return strict !== undefined && isText ? strictAnswer(named, endpoint, strict) : named;
}
