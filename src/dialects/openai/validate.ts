/**
 * Validates a request before it causes any cost, but only what the gateway itself has to
 * understand. Unknown fields, and values that only the model can judge, pass through.
 */

import { AppError } from '../../domain/errors/errors.ts';
import { missingField } from '../../domain/errors/field-errors.ts';
import { isObject, type JsonObject } from '../../json/read-json.ts';

export type CheckedEndpoint =
  | 'chat'
  | 'completions'
  | 'embeddings'
  | 'moderations'
  | 'images'
  | 'imageEdits'
  | 'imageVariations'
  | 'speech'
  | 'transcriptions'
  | 'translations'
  | 'rerank'
  | 'realtime';

/** Returns undefined for a valid value, 'missing', or a description of the problem. */
type Check = (value: unknown) => string | undefined;

const MAX_TOKENS = 2 ** 30;

const required: Check = (value) => (value === undefined || value === null ? 'missing' : undefined);

function optional(isRight: (value: unknown) => boolean, problem: string): Check {
  return (value) => (value === undefined || value === null || isRight(value) ? undefined : problem);
}

function integer(lowest: number, highest: number): Check {
  const isRight = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= lowest && Number(value) <= highest;
  const bound =
    highest === Number.MAX_SAFE_INTEGER ? `of at least ${lowest}` : `from ${lowest} to ${highest}`;
  return optional(isRight, `it must be a whole number ${bound}`);
}

const text: Check = (value) => {
  if (value === undefined || value === null) return 'missing';
  if (typeof value !== 'string') return 'it must be a text';
  return value.trim() === '' ? 'missing' : undefined;
};
const list: Check = (value) => {
  const missing = required(value);
  if (missing !== undefined) return missing;
  return Array.isArray(value) && value.length > 0
    ? undefined
    : 'it must be a list with at least one entry';
};
const number = optional((value) => typeof value === 'number', 'it must be a number');
const boolean = optional((value) => typeof value === 'boolean', 'it must be true or false');
const object = optional(isObject, 'it must be an object');

const GENERATION: Readonly<Record<string, Check>> = {
  stream: boolean,
  stream_options: object,
  max_tokens: integer(0, MAX_TOKENS),
  max_completion_tokens: integer(0, MAX_TOKENS),
  n: integer(1, Number.MAX_SAFE_INTEGER),
  temperature: number,
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
};

/** Fields that the price depends on, so that the image generated is the one that was priced. */
const IMAGES: Readonly<Record<string, Check>> = {
  model: text,
  n: integer(1, 10),
  size: optional(
    (value) => typeof value === 'string' && !/[^\w*:.-]/.test(value),
    'it must be a text like 1024x1024',
  ),
  quality: optional((value) => typeof value === 'string', 'it must be a text'),
  stream: boolean,
};
const SPEECH_FORMATS: ReadonlySet<unknown> = new Set(['audio', 'sse']);

const CHECKS: Readonly<Record<CheckedEndpoint, Readonly<Record<string, Check>>>> = {
  chat: { model: text, messages: list, ...GENERATION },
  completions: { model: text, prompt: required, ...GENERATION },
  embeddings: { model: text, input: required },
  moderations: { model: text, input: required },
  realtime: { model: text },
  images: { prompt: text, ...IMAGES },
  imageEdits: { prompt: text, ...IMAGES },
  imageVariations: IMAGES,
  speech: {
    model: text,
    input: text,
    stream_format: optional((value) => SPEECH_FORMATS.has(value), 'it must be audio or sse'),
  },
  transcriptions: { model: text, stream: boolean },
  translations: { model: text },
  rerank: {
    model: text,
    query: required,
    documents: list,
    top_n: integer(1, Number.MAX_SAFE_INTEGER),
    return_documents: boolean,
  },
};

/** The sizes in the vendor's price list; others have no price. */
const SIZES: Readonly<Record<string, readonly string[]>> = {
  'dall-e-2': ['256x256', '512x512', '1024x1024'],
  'dall-e-3': ['1024x1024', '1024x1792', '1792x1024'],
};

/** @throws AppError field_missing, field_wrong; both name the field, e.g. `messages.0.role`. */
export function validateRequest(endpoint: CheckedEndpoint, body: JsonObject): void {
  for (const [field, check] of Object.entries(CHECKS[endpoint])) refuse(field, check(body[field]));
  if (endpoint === 'chat' && Array.isArray(body.messages)) {
    for (const [place, message] of body.messages.entries()) checkMessage(message, place);
  }
  if (CHECKS[endpoint].size !== undefined) checkSize(body);
}

function checkSize({ model, size }: JsonObject): void {
  const sizes = SIZES[String(model)];
  if (sizes === undefined || typeof size !== 'string' || sizes.includes(size)) return;
  refuse('size', `it must be one of ${sizes.join(', ')}`);
}

function checkMessage(message: unknown, index: number): void {
  const problem = isObject(message) ? text(message.role) : 'it must be an object';
  if (problem === undefined) return;
  refuse(isObject(message) ? `messages.${index}.role` : `messages.${index}`, problem);
}

function refuse(field: string, problem: string | undefined): void {
  if (problem === undefined) return;
  if (problem === 'missing') throw missingField(field);
  throw new AppError('field_wrong', { field, problem }, { param: field });
}
