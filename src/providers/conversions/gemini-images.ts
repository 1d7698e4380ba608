/**
 * Google's images: Gemini returns them in its answers, Imagen has a `predict` call. Source:
 * ai.google.dev/gemini-api/docs/image-generation, ai.google.dev/gemini-api/docs/imagen.
 */

import { definedFields } from '../../domain/defined-fields.ts';
import { type JsonObject, numberIn, objectIn, objectsIn, textIn } from '../../json/read-json.ts';
import type { MultipartFile } from '../requests/multipart-form.ts';
import { type Conversion, unsupportedField } from './conversion.ts';
import { aspectOf, imageBytesAnswer } from './images.ts';

/** Text and images are parts of one answer. */
const geminiImages: Conversion = {
  writeBody(body, { files }) {
    if ((numberIn(body, 'n') ?? 1) > 1) throw unsupportedField('n');
    if (files.some(({ name }) => name === 'mask')) throw unsupportedField('mask');
    const aspectRatio = aspectOf(body.size);
    return {
      contents: [{ role: 'user', parts: [...files.map(inlined), { text: body.prompt }] }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        ...(aspectRatio === undefined ? {} : { imageConfig: { aspectRatio } }),
      },
    };
  },
  readAnswer(json, input) {
    const parts = objectsIn(json, 'candidates').flatMap((candidate) =>
      objectsIn(objectIn(candidate, 'content'), 'parts'),
    );
    // An image in a thinking part is a draft.
    const pieces = parts.flatMap((part) =>
      part.thought === true ? [] : (textIn(objectIn(part, 'inlineData'), 'data') ?? []),
    );
    if (pieces.length === 0) return undrawn(reasonIn(json));
    return definedFields({
      ...imageBytesAnswer(pieces, input),
      usage: usageIn(objectIn(json, 'usageMetadata')),
    });
  },
};

function inlined({ type, pieces }: MultipartFile): JsonObject {
  return { inlineData: { mimeType: type, data: Buffer.concat(pieces).toString('base64') } };
}

/** A refusal has a success status and no image. */
function undrawn(reason: string): JsonObject {
  const message = `nothing was drawn: ${reason}`;
  return { error: { message, code: 'content_policy_violation', type: 'upstream_error' } };
}

function reasonIn(json: JsonObject): string {
  const [candidate] = objectsIn(json, 'candidates');
  return (
    textIn(objectIn(json, 'promptFeedback'), 'blockReason') ??
    textIn(candidate, 'finishMessage') ??
    textIn(candidate, 'finishReason') ??
    'no reason is given'
  );
}

/** Text and thoughts count as text, only the rest as image. */
function usageIn(usage: JsonObject | undefined): JsonObject | undefined {
  const input = numberIn(usage, 'promptTokenCount');
  if (input === undefined) return undefined;
  const thoughts = numberIn(usage, 'thoughtsTokenCount') ?? 0;
  const output = (numberIn(usage, 'candidatesTokenCount') ?? 0) + thoughts;
  const details = (name: string, modality: string) =>
    objectsIn(usage, name)
      .filter((detail) => detail.modality === modality)
      .reduce((sum, detail) => sum + (numberIn(detail, 'tokenCount') ?? 0), 0);
  const drawn = details('candidatesTokensDetails', 'IMAGE');
  return {
    input_tokens: input,
    input_tokens_details: { image_tokens: details('promptTokensDetails', 'IMAGE') },
    output_tokens: output,
    output_tokens_details: { image_tokens: drawn, reasoning_tokens: thoughts },
    total_tokens: input + output,
  };
}

const imagenImages: Conversion = {
  writeBody(body, { files }) {
    if (files.length > 0) throw unsupportedField('image');
    return {
      instances: [{ prompt: body.prompt }],
      parameters: definedFields({
        sampleCount: numberIn(body, 'n') ?? 1,
        aspectRatio: aspectOf(body.size),
      }),
    };
  },
  readAnswer(json, input) {
    const predictions = objectsIn(json, 'predictions');
    const pieces = predictions.flatMap((one) => textIn(one, 'bytesBase64Encoded') ?? []);
    if (pieces.length > 0) return imageBytesAnswer(pieces, input);
    const reason = predictions.flatMap((one) => textIn(one, 'raiFilteredReason') ?? [])[0];
    return undrawn(reason ?? 'no reason is given');
  },
};

/** Selects the conversion by the model's name. */
export const googleImages: Conversion = {
  writeBody: (body, input) => conversionOf(input.model).writeBody(body, input),
  readAnswer: (json, input) => conversionOf(input.model).readAnswer(json, input),
};

function conversionOf(model: string): Conversion {
  return model.startsWith('imagen') ? imagenImages : geminiImages;
}
