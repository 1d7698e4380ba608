/** Embedding formats other than OpenAI's. */
import { definedFields } from '../../domain/defined-fields.ts';
import { type JsonObject, numberIn, objectIn, objectsIn } from '../../json/read-json.ts';
import { type Conversion, unsupportedField } from './conversion.ts';

/** Google's batchEmbedContents, also for a single text (ai.google.dev/api/embeddings). */
export const geminiEmbeddings: Conversion = {
  writeBody(body, { model, native }) {
    const name = `models/${model}`;
    if (native !== undefined)
      return { requests: objectsIn(native, 'requests').map((each) => ({ ...each, model: name })) };
    const requests = textsOf(body.input).map((text) =>
      definedFields({
        model: name,
        content: { parts: [{ text }] },
        outputDimensionality: body.dimensions ?? undefined,
      }),
    );
    return { requests };
  },
  readAnswer(json, { model }) {
    const embeddings = objectsIn(json, 'embeddings');
    const tokens = numberIn(objectIn(json, 'usageMetadata'), 'promptTokenCount');
    return definedFields({
      object: 'list',
      data: embeddings.map(({ values }, index) => ({
        object: 'embedding',
        index,
        embedding: values,
      })),
      model,
      usage: usageOf(tokens),
    });
  },
};

/** Lists of token ids mean nothing to a model of another vendor. */
function textsOf(input: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  return texts.map((text) => {
    if (typeof text !== 'string') throw unsupportedField('input');
    return text;
  });
}

/** Jina has another name for the encoding and rejects `user`. */
export const jinaEmbeddings: Conversion = {
  writeBody({ encoding_format, user: _, ...rest }): JsonObject {
    return definedFields({ ...rest, embedding_type: encoding_format ?? undefined });
  },
  readAnswer: (json) => json,
};

/** Cohere v2 requires the purpose of the vectors and returns a list per number format. */
export const cohereEmbeddings: Conversion = {
  writeBody: (body) =>
    definedFields({
      model: body.model,
      texts: textsOf(body.input),
      input_type: body.input_type ?? 'search_document',
      embedding_types: ['float'],
      output_dimension: body.dimensions ?? undefined,
      truncate: body.truncate ?? undefined,
    }),
  readAnswer(json, { model }) {
    const vectors = objectIn(json, 'embeddings')?.float;
    const tokens = numberIn(objectIn(objectIn(json, 'meta'), 'billed_units'), 'input_tokens');
    return definedFields({
      object: 'list',
      data: (Array.isArray(vectors) ? vectors : []).map((embedding: unknown, index) => ({
        object: 'embedding',
        index,
        embedding,
      })),
      model,
      usage: usageOf(tokens),
    });
  },
};

function usageOf(tokens: number | undefined): JsonObject | undefined {
  return tokens === undefined ? undefined : { prompt_tokens: tokens, total_tokens: tokens };
}

/** Sends texts as a list even if there is only one (M3E, Baidu's first API). */
export const listEmbeddings: Conversion = {
  writeBody: (body) => ({ model: body.model, input: textsOf(body.input) }),
  readAnswer: (json) => json,
};

/** docs.voyageai.com/reference/embeddings-api: another name for the dimensions, and no `user`. */
export const voyageEmbeddings: Conversion = {
  writeBody: ({ dimensions, encoding_format: _, user: _user, ...rest }) =>
    definedFields({ ...rest, output_dimension: dimensions ?? undefined }),
  readAnswer: (json) => json,
};
