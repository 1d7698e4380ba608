/** Converts one endpoint between OpenAI's format and a provider's. Pure; selected by its row. */
import { AppError } from '../../domain/errors/errors.ts';
import { isObject, type JsonObject } from '../../json/read-json.ts';
import type { MultipartFile } from '../requests/multipart-form.ts';

/** The context of a conversion, besides the body. */
export interface ConversionInput {
  /** The upstream's model name. */
  readonly model: string;
  /** The files the client sent. */
  readonly files: readonly MultipartFile[];
  /** The client's original body, if client and provider share a dialect other than OpenAI's. */
  readonly native?: JsonObject;
  readonly createdSec: number;
  /** The content of the URL in an answer, after it was fetched. */
  readonly lying?: FetchedContent;
}

/** Bytes with the content type they were served with. */
export interface FetchedContent {
  readonly bytes: Buffer;
  readonly type: string;
}

/** The next step for an incomplete answer: another request to the provider, or fetching a URL. */
export type FollowUp =
  | { readonly kind: 'ask'; readonly path: string }
  | { readonly kind: 'fetch'; readonly url: string };

/** The upstream body: JSON, or the bytes of a single file. */
export type ConvertedBody = JsonObject | { readonly file: MultipartFile };

/** The answer in OpenAI's format: JSON, or the audio with its usage. */
export type ConvertedAnswer =
  | JsonObject
  | {
      readonly audio: Buffer;
      /** Content type of the audio; '' if the upstream does not send it. */
      readonly type: string;
      readonly usage: JsonObject | undefined;
    };

export interface Conversion {
  /** @throws AppError feature_unsupported for fields the provider does not support. */
  writeBody(body: JsonObject, input: ConversionInput): ConvertedBody;
  readAnswer(json: JsonObject, input: ConversionInput): ConvertedAnswer;
  /** Headers in addition to the usual ones. */
  headers?(model: string): Readonly<Record<string, string>>;
  /** Undefined for a complete answer; called for every response that is not an error. */
  follow?(json: JsonObject): FollowUp | undefined;
}

export function isAudioAnswer(
  answer: ConvertedAnswer,
): answer is Extract<ConvertedAnswer, { audio: Buffer }> {
  return Buffer.isBuffer(answer.audio);
}

/** The provider does not support the field; another channel may. */
export function unsupportedField(field: string): AppError {
  return new AppError('feature_unsupported', { field }, { param: field });
}

/** Keeps only these fields, if present. */
export function pickFields(body: JsonObject, ...names: readonly string[]): JsonObject {
  const entries = names.flatMap((name) => {
    const value = body[name];
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** A file as a data URL, for providers that accept files inside JSON. */
export function fileDataUrl({ type, pieces }: MultipartFile): string {
  return `data:${type};base64,${Buffer.concat(pieces).toString('base64')}`;
}

export function textList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The texts of a list of strings or of objects with a `text`. */
export function documentTexts(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown) => {
    if (typeof item === 'string') return item;
    if (isObject(item) && typeof item.text === 'string') return item.text;
    throw unsupportedField('documents');
  });
}

const OPENAI_VOICES: ReadonlySet<unknown> = new Set(
  'alloy ash ballad coral echo fable marin cedar nova onyx sage shimmer verse'.split(' '),
);

/** The requested voice; `usual` replaces OpenAI's own voices, which mean nothing elsewhere. */
export function voiceOrDefault({ voice }: JsonObject, usual: string): unknown {
  return voice === undefined || voice === null || OPENAI_VOICES.has(voice) ? usual : voice;
}
