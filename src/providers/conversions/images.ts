/** Image requests and answers of providers whose format differs from OpenAI's. */
import { definedFields } from '../../domain/defined-fields.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../json/read-json.ts';
import {
  type Conversion,
  type ConversionInput,
  fileDataUrl,
  pickFields,
  textList,
  unsupportedField,
} from './conversion.ts';

/** OpenAI's answer with image URLs. */
export function imageUrlAnswer(
  urls: readonly string[],
  { createdSec }: ConversionInput,
  usage?: JsonObject,
): JsonObject {
  const data = urls.map((url) => ({ url }));
  return definedFields({ created: createdSec, data, usage });
}

export function imageBytesAnswer(
  pieces: readonly string[],
  { createdSec }: ConversionInput,
): JsonObject {
  return { created: createdSec, data: pieces.map((b64_json) => ({ b64_json })) };
}

const unchangedAnswer = (json: JsonObject): JsonObject => json;

/** Fields of OpenAI's own models that most others reject. */
export const OPENAI_ONLY: ReadonlySet<string> = new Set([
  'quality',
  'style',
  'response_format',
  'user',
  'background',
  'moderation',
  'output_format',
  'output_compression',
  'stream',
  'partial_images',
]);

/** Uses `image_size` and `batch_size`; other fields pass through. */
export const siliconflowImages: Conversion = {
  writeBody(body) {
    const { size, n, ...rest } = body;
    const known = Object.entries(rest).filter(([name]) => !OPENAI_ONLY.has(name));
    return definedFields({ ...Object.fromEntries(known), image_size: size, batch_size: n });
  },
  readAnswer(json, input) {
    if (Array.isArray(json.data)) return json;
    return imageUrlAnswer(
      objectsIn(json, 'images').flatMap((image) => textIn(image, 'url') ?? []),
      input,
    );
  },
};

/** One image per call; only a few fields are accepted. */
export const zhipuImages: Conversion = {
  writeBody(body) {
    if ((numberIn(body, 'n') ?? 1) > 1) throw unsupportedField('n');
    const { user, ...rest } = pickFields(body, 'model', 'prompt', 'size', 'quality', 'user');
    return definedFields({ ...rest, user_id: user });
  },
  readAnswer: unchangedAnswer,
};

/** Accepts neither size nor quality. */
export const xaiImages: Conversion = {
  writeBody: (body) => pickFields(body, 'model', 'prompt', 'n', 'response_format', 'user'),
  readAnswer: unchangedAnswer,
};

/** Generation and editing are the same JSON call; several images are a sequence. */
export const volcengineImages: Conversion = {
  writeBody(body, { files }) {
    const { n, quality: _, style: _style, user: _user, background: _ground, ...rest } = body;
    if (files.some(({ name }) => name === 'mask')) throw unsupportedField('mask');
    const sent = files.map(fileDataUrl);
    const count = numberIn({ n }, 'n') ?? 1;
    return {
      ...rest,
      ...(sent.length === 0 ? {} : { image: sent.length === 1 ? sent[0] : sent }),
      ...(count > 1
        ? {
            sequential_image_generation: 'auto',
            sequential_image_generation_options: { max_images: count },
          }
        : {}),
    };
  },
  readAnswer: unchangedAnswer,
};

/** Aspect ratios of OpenAI's sizes. */
const ASPECTS: Readonly<Record<string, string>> = {
  '1024x1024': '1:1',
  '1792x1024': '16:9',
  '1024x1792': '9:16',
  '1536x1024': '3:2',
  '1024x1536': '2:3',
};

export const minimaxImages: Conversion = {
  writeBody(body) {
    const { size, response_format: format } = body;
    const aspect = typeof size === 'string' ? ASPECTS[size] : undefined;
    const sides = aspect === undefined ? sidesOf(size) : undefined;
    return definedFields({
      ...pickFields(body, 'model', 'prompt', 'n', 'seed', 'prompt_optimizer'),
      aspect_ratio: aspect,
      width: sides?.width,
      height: sides?.height,
      response_format: format === 'b64_json' ? 'base64' : 'url',
    });
  },
  readAnswer(json, input) {
    const data = objectIn(json, 'data');
    const bytes = textList(data?.image_base64);
    return bytes.length > 0
      ? imageBytesAnswer(bytes, input)
      : imageUrlAnswer(textList(data?.image_urls), input);
  },
};

function sidesOf(size: unknown): { width: number; height: number } | undefined {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(String(size)) ?? [];
  return width === undefined ? undefined : { width: Number(width), height: Number(height) };
}

/** Workers AI: one image, as base64 in the result (or as bytes, which the relay encodes). */
export const cloudflareImages: Conversion = {
  writeBody(body) {
    if ((numberIn(body, 'n') ?? 1) > 1) throw unsupportedField('n');
    const sides = sidesOf(body.size);
    return definedFields({
      ...pickFields(body, 'prompt', 'negative_prompt', 'seed', 'num_steps', 'guidance'),
      width: sides?.width,
      height: sides?.height,
    });
  },
  readAnswer(json, input) {
    const image = isObject(json.result) ? textIn(json.result, 'image') : undefined;
    return imageBytesAnswer(image === undefined ? [] : [image], input);
  },
};

/** The aspect ratio; undefined: any. @throws AppError feature_unsupported for an unknown size. */
export function aspectOf(size: unknown): string | undefined {
  if (typeof size !== 'string' || size === 'auto') return undefined;
  const aspect = ASPECTS[size];
  if (aspect === undefined) throw unsupportedField('size');
  return aspect;
}
