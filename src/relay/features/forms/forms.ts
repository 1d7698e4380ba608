/** Reads requests that come as multipart forms: audio to transcribe, images to edit. */
import { validateRequest } from '../../../dialects/openai/validate.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { missingField, wrongField } from '../../../domain/errors/field-errors.ts';
import { filesOf, formFields } from '../../../providers/requests/multipart-form.ts';
import { isForm, readForm } from '../../body/form-reader.ts';
import {
  emptyMemo,
  type Intent,
  type JsonObject,
  withRequestedModel,
} from '../../call/call-intent.ts';
import { type Endpoint, headerOf, type Incoming, type Received } from '../../call/incoming-call.ts';
import type { Feature } from '../feature.ts';

export const forms: Feature = {
  client: {
    appliesTo: ({ endpoint }) => FILES[endpoint] !== undefined,
    read: (received) => (comesAsForm(received) ? readFormIntent(received) : undefined),
  },
};

/** The required files of each endpoint, by field name. */
const FILES: Readonly<Partial<Record<Endpoint, readonly string[]>>> = {
  imageEdits: ['image', 'image[]'],
  imageVariations: ['image'],
  transcriptions: ['file'],
  translations: ['file'],
};

/** Fields that must not be files, because pricing and checks must see what the upstream reads. */
const TEXTS: ReadonlySet<string> = new Set(['model', 'prompt', 'n', 'size', 'quality', 'stream']);

/** Edits may also be sent as JSON, with image URLs. @throws AppError body_not_form. */
function comesAsForm({ endpoint, headers }: Incoming): boolean {
  if (isForm(headerOf(headers, 'content-type'))) return true;
  if (endpoint !== 'imageEdits') throw new AppError('body_not_form');
  return false;
}

async function readFormIntent(incoming: Received): Promise<Intent> {
  const { body: raw } = incoming;
  const form = await readForm(raw, headerOf(incoming.headers, 'content-type'));
  const sent = formFields(form);
  const body = withRequestedModel(incoming, typed(sent));
  for (const name of TEXTS) if (Array.isArray(sent[name])) throw wrongField(name, 'repeated');
  for (const { name } of filesOf(form))
    if (TEXTS.has(name)) throw wrongField(name, 'file_for_text');
  validateRequest(incoming.endpoint, body);
  const names = FILES[incoming.endpoint] ?? [];
  if (!filesOf(form).some(({ name, bytes }) => names.includes(name) && bytes > 0)) {
    const field = names[0] ?? 'file';
    throw missingField(field);
  }
  const stream = incoming.endpoint !== 'translations' && body.stream === true;
  const memo = emptyMemo();
  const nothing = { source: '', raw, memo, wantsUsage: true, maxTokens: undefined };
  return { ...nothing, sent, form, body, model: String(body.model), stream };
}

/**
 * Converts form strings to numbers and booleans where a field needs them, so that they are
 * validated like JSON.
 */
function typed(fields: JsonObject): JsonObject {
  const { n, stream } = fields;
  const switches: Readonly<Record<string, boolean>> = { true: true, false: false };
  return {
    ...fields,
    ...(typeof n === 'string' ? { n: /^\d+$/.test(n) ? Number(n) : n } : {}),
    ...(typeof stream === 'string' ? { stream: switches[stream.toLowerCase()] ?? stream } : {}),
  };
}
