/**
 * Validates a request before it causes any cost, but only what the gateway itself has to
 * understand. Unknown fields, and values that only the model can judge, pass through.
 */

import type { ErrorParams } from '../../domain/errors/errors.ts';
import { type FieldProblem, missingField, wrongField } from '../../domain/errors/field-errors.ts';
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

interface Problem {
  readonly reason: FieldProblem;
  readonly params?: ErrorParams;
}

/** Returns undefined for a valid value, 'missing', or the problem. */
type Check = (value: unknown) => Problem | 'missing' | undefined;

const MAX_TOKENS = 2 ** 30;

const required: Check = (value) => (value === undefined || value === null ? 'missing' : undefined);

function optional(
  isRight: (value: unknown) => boolean,
  reason: FieldProblem,
  params: ErrorParams = {},
): Check {
  return (value) =>
    value === undefined || value === null || isRight(value) ? undefined : { reason, params };
}

function integer(lowest: number, highest: number): Check {
  const isRight = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= lowest && Number(value) <= highest;
  return highest === Number.MAX_SAFE_INTEGER
    ? optional(isRight, 'int_too_small', { least: lowest })
    : optional(isRight, 'int_out_of_range', { least: lowest, most: highest });
}

const text: Check = (value) => {
  if (value === undefined || value === null) return 'missing';
  if (typeof value !== 'string') return { reason: 'not_text' };
  return value.trim() === '' ? 'missing' : undefined;
};
const list: Check = (value) => {
  const missing = required(value);
  if (missing !== undefined) return missing;
  return Array.isArray(value) && value.length > 0 ? undefined : { reason: 'list_empty' };
};
const number = optional((value) => typeof value === 'number', 'not_number');
const boolean = optional((value) => typeof value === 'boolean', 'not_bool');
const object = optional(isObject, 'not_object');

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
  size: optional((value) => typeof value === 'string' && !/[^\w*:.-]/.test(value), 'not_like', {
    example: '1024x1024',
  }),
  quality: optional((value) => typeof value === 'string', 'not_text'),
  stream: boolean,
};
const SPEECH_FORMATS = ['audio', 'sse'];

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
    stream_format: optional((value) => SPEECH_FORMATS.some((one) => one === value), 'not_choice', {
      choices: SPEECH_FORMATS,
    }),
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
  const checks = CHECKS[endpoint];
  for (const field in checks) refuse(field, checks[field]?.(body[field]));
  if (endpoint === 'chat' && Array.isArray(body.messages)) {
    for (const [index, message] of body.messages.entries()) checkMessage(message, index);
  }
  if (CHECKS[endpoint].size !== undefined) checkSize(body);
}

function checkSize({ model, size }: JsonObject): void {
  const sizes = SIZES[String(model)];
  if (sizes === undefined || typeof size !== 'string' || sizes.includes(size)) return;
  refuse('size', { reason: 'not_choice', params: { choices: sizes } });
}

const NOT_OBJECT = { reason: 'not_object' } as const;

function checkMessage(message: unknown, index: number): void {
  const problem = isObject(message) ? text(message.role) : NOT_OBJECT;
  if (problem === undefined) return;
  refuse(isObject(message) ? `messages.${index}.role` : `messages.${index}`, problem);
}

function refuse(field: string, problem: ReturnType<Check>): void {
  if (problem === undefined) return;
  if (problem === 'missing') throw missingField(field);
  throw wrongField(field, problem.reason, problem.params);
}
