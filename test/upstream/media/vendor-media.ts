/** Vendors with their own formats for images, audio and embeddings. Each refuses unknown fields. */
import * as z from 'zod/mini';
import { type Answer, bytesAnswer, jsonAnswer } from '../answers/answer.ts';
import { fingerprint, promptTokensOf } from '../content/text.ts';
import { CREATED_AT_SEC } from '../dialects/openai/chat-completions.ts';
import type { Plan } from '../plans/plan.ts';
import { soundOf, TRANSCRIPT } from './openai-audio.ts';
import { picture, pictureOf } from './openai-images.ts';

const Text = z.optional(z.string());
const Count = z.optional(z.int().check(z.gte(1), z.lte(10)));
const Number_ = z.optional(z.number());

export const SiliconflowBody = z.strictObject({
  model: z.string(),
  prompt: z.string(),
  image_size: Text,
  batch_size: Count,
  num_inference_steps: Number_,
  guidance_scale: Number_,
  negative_prompt: Text,
  seed: Number_,
});
export const ZhipuBody = z.strictObject({
  model: z.string(),
  prompt: z.string(),
  size: Text,
  quality: z.optional(z.enum(['hd', 'standard'])),
  user_id: Text,
});
export const XaiBody = z.strictObject({
  model: z.string(),
  prompt: z.string(),
  n: Count,
  response_format: z.optional(z.enum(['url', 'b64_json'])),
  user: Text,
});
const Picture = z.string().check(z.regex(/^(data:image\/|https:)/));
export const ArkBody = z.strictObject({
  model: z.string(),
  prompt: z.string(),
  image: z.optional(z.union([Picture, z.array(Picture)])),
  size: Text,
  watermark: z.optional(z.boolean()),
  response_format: z.optional(z.enum(['url', 'b64_json'])),
  sequential_image_generation: z.optional(z.enum(['auto', 'disabled'])),
  sequential_image_generation_options: z.optional(z.strictObject({ max_images: z.int() })),
  stream: z.optional(z.boolean()),
});
export const MinimaxImageBody = z.strictObject({
  model: z.string(),
  prompt: z.string(),
  n: Count,
  aspect_ratio: z.optional(z.enum(['1:1', '16:9', '9:16', '3:2', '2:3'])),
  width: Number_,
  height: Number_,
  response_format: z.enum(['url', 'base64']),
  seed: Number_,
  prompt_optimizer: z.optional(z.boolean()),
});
export const MinimaxSpeechBody = z.strictObject({
  model: z.string(),
  text: z.string(),
  stream: z.literal(false),
  voice_setting: z.strictObject({ voice_id: z.string(), speed: Number_ }),
  audio_setting: z.strictObject({ format: z.enum(['mp3', 'pcm', 'flac', 'wav']) }),
});
export const DashscopeImageBody = z.strictObject({
  model: z.string(),
  input: z.strictObject({
    messages: z.array(
      z.strictObject({
        role: z.literal('user'),
        content: z.array(
          z.union([z.strictObject({ text: z.string() }), z.strictObject({ image: Picture })]),
        ),
      }),
    ),
  }),
  parameters: z.strictObject({
    size: z.optional(z.string().check(z.regex(/^\d+\*\d+$/))),
    n: Count,
    seed: Number_,
    negative_prompt: Text,
    prompt_extend: z.optional(z.boolean()),
    watermark: z.optional(z.boolean()),
  }),
});
export const CloudflareImageBody = z.strictObject({
  prompt: z.string(),
  negative_prompt: Text,
  seed: Number_,
  num_steps: Number_,
  guidance: Number_,
  width: Number_,
  height: Number_,
});
export const EmbedBody = z.strictObject({
  requests: z
    .array(
      z.strictObject({
        model: z.string().check(z.regex(/^models\/./)),
        content: z.strictObject({ parts: z.array(z.strictObject({ text: z.string() })) }),
        taskType: Text,
        title: Text,
        outputDimensionality: z.optional(z.int()),
      }),
    )
    .check(z.minLength(1)),
});
export const JinaEmbeddingBody = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string())]),
  task: Text,
  dimensions: z.optional(z.int()),
  embedding_type: z.optional(z.enum(['float', 'base64'])),
});

export const ListEmbeddingBody = z.strictObject({
  model: z.string(),
  input: z.array(z.string()).check(z.minLength(1)),
});
export const VoyageEmbeddingBody = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string())]),
  input_type: Text,
  output_dimension: z.optional(z.int()),
});
export const ImagenBody = z.strictObject({
  instances: z.tuple([z.strictObject({ prompt: z.string() })]),
  parameters: z.strictObject({
    sampleCount: Count,
    aspectRatio: z.optional(z.enum(['1:1', '16:9', '9:16', '3:2', '2:3'])),
  }),
});
export const CohereEmbeddingBody = z.strictObject({
  model: z.string(),
  texts: z.array(z.string()).check(z.minLength(1), z.maxLength(96)),
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering']),
  embedding_types: z.tuple([z.literal('float')]),
  output_dimension: z.optional(z.int()),
  truncate: z.optional(z.enum(['NONE', 'START', 'END'])),
});

function address(name: string): string {
  return `https://pictures.example/${fingerprint(name)}.png`;
}

function several<T>(n: number | undefined, make: (at: number) => T): T[] {
  return Array.from({ length: n ?? 1 }, (_, at) => make(at));
}

export function siliconflowAnswer(body: z.output<typeof SiliconflowBody>, plan: Plan): Answer {
  const images = several(body.batch_size, (at) => ({ url: address(`${body.prompt}${at}`) }));
  return jsonAnswer({ images, timings: { inference: 1.2 }, seed: 7 }, plan);
}

export function zhipuAnswer({ prompt }: z.output<typeof ZhipuBody>, plan: Plan): Answer {
  return jsonAnswer({ created: CREATED_AT_SEC, data: [{ url: address(prompt) }] }, plan);
}

export function xaiAnswer(body: z.output<typeof XaiBody>, plan: Plan): Answer {
  return jsonAnswer(
    { data: several(body.n, (at) => pictureOf(body, `${body.prompt}${at}`)) },
    plan,
  );
}

export function arkAnswer(body: z.output<typeof ArkBody>, plan: Plan): Answer {
  const n = body.sequential_image_generation_options?.max_images;
  const data = several(n, (at) => pictureOf(body, `${body.prompt}${at}`));
  const tokens = 4096 * data.length;
  const usage = { generated_images: data.length, output_tokens: tokens, total_tokens: tokens };
  return jsonAnswer({ model: body.model, created: CREATED_AT_SEC, data, usage }, plan);
}

const FINE = { base_resp: { status_code: 0, status_msg: 'success' } };

export function minimaxImageAnswer(body: z.output<typeof MinimaxImageBody>, plan: Plan): Answer {
  const data =
    body.response_format === 'base64'
      ? { image_base64: several(body.n, (at) => picture(`${body.prompt}${at}`)) }
      : { image_urls: several(body.n, (at) => address(`${body.prompt}${at}`)) };
  return jsonAnswer({ id: 'image-1', data, ...FINE }, plan);
}

export function minimaxSpeechAnswer(
  { text }: z.output<typeof MinimaxSpeechBody>,
  plan: Plan,
): Answer {
  const data = { audio: soundOf(text).toString('hex'), status: 2 };
  return jsonAnswer({ data, extra_info: { usage_characters: [...text].length }, ...FINE }, plan);
}

export function dashscopeImageAnswer(
  { input, parameters }: z.output<typeof DashscopeImageBody>,
  plan: Plan,
): Answer {
  const name = JSON.stringify(input.messages);
  const content = several(parameters.n, (at) => ({ image: address(`${name}${at}`) }));
  const choices = [{ finish_reason: 'stop', message: { role: 'assistant', content } }];
  return jsonAnswer(
    { output: { choices }, usage: { image_count: content.length }, request_id: 'r-1' },
    plan,
  );
}

/** Some of its models return the image itself. */
export function cloudflareImageAnswer(
  { prompt }: z.output<typeof CloudflareImageBody>,
  plan: Plan,
): Answer {
  if (plan.contentType !== undefined)
    return bytesAnswer(Buffer.from(picture(prompt), 'base64'), plan, plan.contentType);
  return jsonAnswer({ success: true, result: { image: picture(prompt) }, errors: [] }, plan);
}

export function cloudflareTextAnswer(plan: Plan): Answer {
  return jsonAnswer(
    { success: true, result: { text: TRANSCRIPT, word_count: 9 }, errors: [] },
    plan,
  );
}

const DIMENSIONS = 8;

export function vectorOf(text: string, dimensions = DIMENSIONS): number[] {
  return Array.from(
    { length: dimensions },
    (_, at) => (text.charCodeAt(at % text.length) || 1) / 128,
  );
}

export function embedAnswer({ requests }: z.output<typeof EmbedBody>, plan: Plan): Answer {
  const texts = requests.map(({ content }) => content.parts.map(({ text }) => text).join('\n'));
  const embeddings = texts.map((text, at) => ({
    values: vectorOf(text, requests[at]?.outputDimensionality),
  }));
  const tokens = texts.reduce((sum, text) => sum + promptTokensOf(text), 0);
  const usage = plan.usage === 'none' ? {} : { usageMetadata: { promptTokenCount: tokens } };
  return jsonAnswer({ embeddings, ...usage }, plan);
}

export function jinaEmbeddingAnswer(body: z.output<typeof JinaEmbeddingBody>, plan: Plan): Answer {
  const texts = [body.input].flat();
  const data = texts.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: vectorOf(text, body.dimensions),
  }));
  const total = texts.reduce((sum, text) => sum + promptTokensOf(text), 0);
  return jsonAnswer(
    { object: 'list', model: body.model, data, usage: { total_tokens: total } },
    plan,
  );
}

export function cohereEmbeddingAnswer(
  { texts, output_dimension }: z.output<typeof CohereEmbeddingBody>,
  plan: Plan,
): Answer {
  const float = texts.map((text) => vectorOf(text, output_dimension));
  const tokens = texts.reduce((sum, text) => sum + promptTokensOf(text), 0);
  const meta = { api_version: { version: '2' }, billed_units: { input_tokens: tokens } };
  return jsonAnswer(
    { id: 'e-1', embeddings: { float }, texts, meta, response_type: 'embeddings_by_type' },
    plan,
  );
}

export function imagenAnswer(
  { instances: [{ prompt }], parameters }: z.output<typeof ImagenBody>,
  plan: Plan,
): Answer {
  if (prompt.includes('forbidden'))
    return jsonAnswer({ predictions: [{ raiFilteredReason: 'Blocked by a filter.' }] }, plan);
  const predictions = several(parameters.sampleCount, (at) => ({
    mimeType: 'image/png',
    bytesBase64Encoded: picture(`${prompt}${at}`),
  }));
  return jsonAnswer({ predictions }, plan);
}

export function listEmbeddingAnswer(
  { model, input }: z.output<typeof ListEmbeddingBody>,
  plan: Plan,
): Answer {
  return jinaEmbeddingAnswer({ model, input }, plan);
}

export function voyageEmbeddingAnswer(
  { model, input, output_dimension }: z.output<typeof VoyageEmbeddingBody>,
  plan: Plan,
): Answer {
  return jinaEmbeddingAnswer({ model, input, dimensions: output_dimension }, plan);
}
