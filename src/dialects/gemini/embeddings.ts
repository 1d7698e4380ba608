/**
 * Google's embedContent and batchEmbedContents for clients: converted to an OpenAI request, and the
 * answer from OpenAI's. Source: ai.google.dev/api/embeddings.
 */
import { missingField, wrongField } from '../../domain/errors/field-errors.ts';
import { isObject, type JsonObject, objectIn, objectsIn, textIn } from '../../json/read-json.ts';

import { refuseBothSpellings } from './fields.ts';

/**
 * The single request or the batch, always as a list.
 * @throws AppError field_missing, field_wrong
 */
export function embeddingRequestsOf(sent: JsonObject, isBatch: boolean): readonly JsonObject[] {
  refuseBothSpellings(sent);
  if (!isBatch) return [sent];
  const requests = objectsIn(sent, 'requests');
  if (requests.length === 0) throw missingField('requests');
  return requests;
}

/** @throws AppError field_missing, field_wrong: content without text, or different dimensions. */
export function readEmbedRequests(requests: readonly JsonObject[], model: string): JsonObject {
  const input = requests.map((request, index) => textOfContent(request, index));
  const lengths = new Set(requests.map(dimensionsOf));
  const [dimensions] = lengths;
  if (lengths.size > 1) throw wrongField('requests.1.outputDimensionality', 'not_same_in_all');
  return { model, input, ...(dimensions === undefined ? {} : { dimensions }) };
}

function dimensionsOf(request: JsonObject): unknown {
  const config = objectIn(request, 'embedContentConfig') ?? objectIn(request, 'config');
  return (
    request.outputDimensionality ?? request.output_dimensionality ?? config?.outputDimensionality
  );
}

function textOfContent(request: JsonObject, index: number): string {
  const field = `requests.${index}.content`;
  const content = objectIn(request, 'content');
  if (content === undefined) throw missingField(field);
  const parts = objectsIn(content, 'parts');
  const texts = parts.map((part) => textIn(part, 'text'));
  if (texts.length === 0 || texts.includes(undefined))
    throw wrongField(`${field}.parts`, 'only_text_embedded');
  return texts.join('\n');
}

/** Converts OpenAI's answer to Google's; vectors must be arrays of numbers. */
export function writeEmbedAnswer(answer: JsonObject, isBatch: boolean): JsonObject {
  const embeddings = objectsIn(answer, 'data').map(({ embedding }) => ({ values: embedding }));
  const tokens = objectIn(answer, 'usage')?.prompt_tokens;
  const counted = tokens === undefined ? {} : { usageMetadata: { promptTokenCount: tokens } };
  const [first] = embeddings;
  if (isBatch) return { embeddings, ...counted };
  return { ...(isObject(first) ? { embedding: first } : {}), ...counted };
}
