/** How a provider says on one endpoint what OpenAI says in other words. Pure; named by its row. */
import { AppError } from '../../domain/errors/errors.ts';
import { isObject, type JsonObject } from '../../json/read-json.ts';
import type { FormFile } from '../form.ts';

/** What stands around the body. */
export interface ConversionInput {
  /** The upstream's name of the model. */
  readonly model: string;
  /** What the client sent as files. */
  readonly files: readonly FormFile[];
  /** The client's own body, where client and provider speak another dialect than OpenAI's, both the same. */
  readonly native?: JsonObject;
  readonly createdSec: number;
  /** What an answer named the address of, once it is here. */
  readonly lying?: Lying;
}

/** Bytes with the content type they came under. */
export interface Lying {
  readonly bytes: Buffer;
  readonly type: string;
}

/** What is still to be done for an answer: asking the provider once more, or fetching what lies somewhere. */
export type Follow =
  | { readonly kind: 'ask'; readonly path: string }
  | { readonly kind: 'fetch'; readonly url: string };

/** The body that goes upstream: JSON, or the bytes of a file alone. */
export type ConvertedBody = JsonObject | { readonly file: FormFile };

/** The answer in OpenAI's form: JSON, or the sound itself with what it cost. */
export type ConvertedAnswer =
  | JsonObject
  | {
      readonly sound: Buffer;
      /** Of the sound; '' when the upstream does not say. */
      readonly type: string;
      readonly usage: JsonObject | undefined;
    };

export interface Conversion {
  /** @throws AppError feature_unsupported for what the provider lacks. */
  writeBody(body: JsonObject, asked: ConversionInput): ConvertedBody;
  readAnswer(json: JsonObject, asked: ConversionInput): ConvertedAnswer;
  /** Sent beside the usual ones. */
  headers?(model: string): Readonly<Record<string, string>>;
  /** Undefined for an answer that is complete; asked of every reply that is no error. */
  follow?(json: JsonObject): Follow | undefined;
}

export function isAudioAnswer(
  answer: ConvertedAnswer,
): answer is Extract<ConvertedAnswer, { sound: Buffer }> {
  return Buffer.isBuffer(answer.sound);
}

/** The provider cannot do it; another channel may. */
export function lacks(field: string): AppError {
  return new AppError('feature_unsupported', { field }, { param: field });
}

/** Only these fields, as far as they are there. */
export function only(body: JsonObject, ...names: readonly string[]): JsonObject {
  const entries = names.flatMap((name) => {
    const value = body[name];
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** An object of what is there: undefined members are left out. */
export function said(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** A file as providers take it inside of JSON. */
export function fileDataUrl({ type, pieces }: FormFile): string {
  return `data:${type};base64,${Buffer.concat(pieces).toString('base64')}`;
}

export function textList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The texts of a list that may hold objects with a `text` as well. */
export function documentTexts(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown) => {
    if (typeof item === 'string') return item;
    if (isObject(item) && typeof item.text === 'string') return item.text;
    throw lacks('documents');
  });
}

const OPENAI_VOICES: ReadonlySet<unknown> = new Set(
  'alloy ash ballad coral echo fable marin cedar nova onyx sage shimmer verse'.split(' '),
);

/** The voice that was asked for; OpenAI's own mean nothing elsewhere, and `usual` stands in for them. */
export function voiceOf({ voice }: JsonObject, usual: string): unknown {
  return voice === undefined || voice === null || OPENAI_VOICES.has(voice) ? usual : voice;
}
