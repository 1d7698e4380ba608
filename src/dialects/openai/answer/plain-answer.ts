/**
 * Reads a whole (not streamed) answer for accounting, and changes it only where the client must not
 * see the original.
 */
import { AppError } from '../../../domain/errors/errors.ts';
import { readOpenAiUsage, withTier } from '../../../domain/pricing/usage.ts';
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
import type { AnswerIdentity, PlainAnswer } from '../../hub/answer/answer-reader.ts';
import { failureOfStop } from '../../hub/answer/failed-stop.ts';
import { hasAnswer } from '../../hub/answer/has-answer.ts';
import { stopOfChat } from '../../hub/answer/stop.ts';
import type { CheckedEndpoint } from '../validate.ts';
import { DeliveredContent } from './delivered-content.ts';
import { strictAnswer } from './strict-format.ts';
import { findUsage } from './usage-reader.ts';

export interface PlainAnswerSource {
  readonly endpoint: CheckedEndpoint;
  /** The client's model name, if the upstream was sent another. */
  readonly clientModel?: string | undefined;
  /** The upstream's usage is meaningless and must be ignored. */
  readonly ignoresUsage?: boolean;
  /** Rewrite to OpenAI's format (`force_format`); the identity fills missing fields. */
  readonly strict?: AnswerIdentity | undefined;
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
  const finishReasons = choices
    .map((choice) => textIn(choice, 'finish_reason'))
    .filter((reason) => reason !== undefined);
  const error = reported ?? (delivered.hasContent ? undefined : firstFailure(finishReasons));
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

function firstFailure(finishReasons: readonly string[]): UpstreamError | undefined {
  for (const reason of finishReasons) {
    const failure = failureOfStop(reason);
    if (failure !== undefined) return failure;
  }
  return undefined;
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
