/**
 * Reads whole answers of endpoints without a conversation in OpenAI's format, for delivery and
 * billing.
 */

import type { PlainAnswer } from '../../dialects/hub/answer/answer-reader.ts';
import { DeliveredContent } from '../../dialects/openai/answer/delivered-content.ts';
import { readPlainAnswer } from '../../dialects/openai/answer/plain-answer.ts';
import { rerankAnswer, searchUnits } from '../../dialects/openai/endpoints/rerank.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { emptyUsage, readOpenAiUsage, type Usage } from '../../domain/pricing/usage.ts';
import { transcriptionTokens } from '../../domain/token-count/token-estimate.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  parseJson,
} from '../../json/read-json.ts';
import {
  type Conversion,
  type ConversionInput,
  isAudioAnswer,
} from '../../providers/conversions/conversion.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { Routed } from '../call/admitted.ts';
import type { Endpoint } from '../call/incoming-call.ts';
import type { ArrivedBody } from '../http/answer-types.ts';
import { conversionFor, conversionInputOf } from './openai-endpoint-request.ts';

const IMAGES: ReadonlySet<Endpoint> = new Set(['images', 'imageEdits', 'imageVariations']);
const TRANSCRIPTS: ReadonlySet<Endpoint> = new Set(['transcriptions', 'translations']);

export function isImages(endpoint: Endpoint): boolean {
  return IMAGES.has(endpoint);
}

export function isTranscript(endpoint: Endpoint): boolean {
  return TRANSCRIPTS.has(endpoint);
}

/** What is needed of a call to read its answer. */
export interface AnswerReading {
  readonly endpoint: Endpoint;
  /** Id for an answer to which the upstream gives none. */
  readonly id: string;
  /** The client's name for the model. */
  readonly model: string;
  /** The client's request. */
  readonly body: JsonObject;
  readonly conversion: Conversion | undefined;
  readonly input: ConversionInput;
}

export function answerReading(call: Routed): AnswerReading {
  const { incoming, intent } = call;
  return {
    endpoint: incoming.endpoint,
    id: incoming.requestId,
    model: intent.model,
    body: intent.body,
    conversion: conversionFor(call),
    input: conversionInputOf(call),
  };
}

/** @throws AppError upstream_garbled for an invalid answer. */
export function readEndpointAnswer(
  reading: AnswerReading,
  { bytes, type, fetchResult: fetched }: ArrivedBody,
): PlainAnswer {
  const { endpoint, conversion } = reading;
  const input = fetched === undefined ? reading.input : { ...reading.input, lying: fetched };
  if (isImages(endpoint) && type.startsWith('image/')) return imageOf(reading, bytes);
  const text = bytes.toString('utf8');
  const parsed = parseJson(text);
  const error = errorInSuccess(parsed);
  if (error !== undefined) return readPlainAnswer(text, { endpoint });
  if (isTranscript(endpoint) && isPlainTranscript(reading, type, parsed))
    return plainTranscript(text);
  if (!isObject(parsed)) throw new AppError('upstream_garbled');
  if (conversion === undefined) return factsOf(reading, readNamed(reading, text));
  const converted = conversion.readAnswer(parsed, input);
  if (isAudioAnswer(converted)) return audioAnswer(converted);
  return factsOf(reading, readNamed(reading, JSON.stringify(converted)));
}

/** An image may be returned as raw bytes. */
function imageOf(reading: AnswerReading, bytes: Buffer): PlainAnswer {
  const data = [{ b64_json: bytes.toString('base64') }];
  const json = { created: reading.input.createdSec, data };
  return factsOf(reading, readNamed(reading, JSON.stringify(json)));
}

function readNamed({ endpoint, model, input }: AnswerReading, text: string): PlainAnswer {
  return readPlainAnswer(text, {
    endpoint,
    ...(model === input.model ? {} : { clientModel: model }),
  });
}

const PLAIN_FORMATS: ReadonlySet<unknown> = new Set(['text', 'srt', 'vtt']);

function isPlainTranscript({ body }: AnswerReading, type: string, parsed: unknown): boolean {
  if (!PLAIN_FORMATS.has(body.response_format)) return false;
  return !isObject(parsed) || !type.startsWith('application/json');
}

const NOTHING = { json: {}, usage: undefined, finishReasons: [], error: undefined } as const;

function plainTranscript(text: string): PlainAnswer {
  const delivered = new DeliveredContent();
  delivered.add(text);
  return {
    ...NOTHING,
    text,
    delivered,
    hasAnswer: true,
    contentType: 'text/plain; charset=utf-8',
  };
}

function audioAnswer(answer: {
  readonly audio: Buffer;
  readonly type: string;
  readonly usage: JsonObject | undefined;
}): PlainAnswer {
  if (answer.audio.length === 0) throw new AppError('upstream_garbled');
  const delivered = new DeliveredContent();
  delivered.addMedia();
  const { audio, type: contentType, usage } = answer;
  return { ...NOTHING, text: '', audio, contentType, usage, delivered, hasAnswer: true };
}

/** Adds what the endpoint is billed by besides tokens. */
function factsOf(reading: AnswerReading, plain: PlainAnswer): PlainAnswer {
  const { endpoint } = reading;
  if (isImages(endpoint)) return imageFacts(plain);
  if (isTranscript(endpoint)) return transcriptFacts(plain);
  return endpoint === 'rerank' ? rerankFacts(reading, plain) : plain;
}

function imageFacts(plain: PlainAnswer): PlainAnswer {
  const units = objectsIn(plain.json, 'data').length;
  if (units > 0) plain.delivered.addMedia();
  return { ...plain, units };
}

function transcriptFacts(plain: PlainAnswer): PlainAnswer {
  const { json } = plain;
  if (typeof json.text === 'string') plain.delivered.add(json.text);
  const counted = readOpenAiUsage(plain.usage) ?? byLength(json);
  return counted === undefined ? plain : { ...plain, counted };
}

/** Whisper is billed by duration: from the usage, else from the verbose format. */
function byLength(json: JsonObject): Usage | undefined {
  const seconds = numberIn(objectIn(json, 'usage'), 'seconds') ?? numberIn(json, 'duration');
  if (seconds === undefined || seconds <= 0) return undefined;
  return { ...emptyUsage(), input: transcriptionTokens(seconds) };
}

function rerankFacts(reading: AnswerReading, plain: PlainAnswer): PlainAnswer {
  const json = rerankAnswer(plain.json, reading);
  if (json === undefined) throw new AppError('upstream_garbled');
  const units = searchUnits(json);
  const counted = plain.counted ?? readOpenAiUsage(json.usage);
  return {
    ...plain,
    counted,
    json,
    text: JSON.stringify(json),
    ...(units === undefined ? {} : { units }),
  };
}
