/** Vendors with their own formats for images, audio and embeddings. Each refuses unknown fields. */
import * as z from 'zod/mini';
import { bytesAnswer, jsonAnswer } from '../answers/answer.ts';
import { fingerprint, promptTokensOf } from '../content/text.ts';
import { CREATED_AT_SEC } from '../dialects/openai/chat-completions.ts';
import { each } from '../dialects/schema-parts.ts';
import { taskId } from './image-tasks.ts';
import { jsonMedium, type Medium, medium, unnamed } from './medium.ts';
import { soundOf, TRANSCRIPT } from './openai-audio.ts';
import { picture, pictureOf } from './openai-images.ts';

/** An image of a prompt. */
const DRAWN = { model: z.string(), prompt: z.string() };
const Text = z.optional(z.string());
const Int = z.optional(z.int());
const Count = z.optional(z.int().check(z.gte(1), z.lte(10)));
const Number_ = z.optional(z.number());
const Flag = z.optional(z.boolean());
const Ratio = z.optional(z.enum(['1:1', '16:9', '9:16', '3:2', '2:3']));
const ResponseFormat = z.optional(z.enum(['url', 'b64_json']));
const Picture = z.string().check(z.regex(/^(data:image\/|https:)/));
const PixelSize = z.optional(z.string().check(z.regex(/^\d+\*\d+$/)));

function address(name: string): string {
  return `https://pictures.example/${fingerprint(name)}.png`;
}

function several<T>(n: number | undefined, make: (at: number) => T): T[] {
  return Array.from({ length: n ?? 1 }, (_, at) => make(at));
}

export const siliconflowImages = jsonMedium(
  z.strictObject({
    ...DRAWN,
    ...each(Text, 'image_size', 'negative_prompt'),
    ...each(Number_, 'num_inference_steps', 'guidance_scale', 'seed'),
    batch_size: Count,
  }),
  ({ prompt, batch_size }) => {
    const images = several(batch_size, (at) => ({ url: address(`${prompt}${at}`) }));
    return { images, timings: { inference: 1.2 }, seed: 7 };
  },
);

export const zhipuImages = jsonMedium(
  z.strictObject({
    ...DRAWN,
    ...each(Text, 'size', 'user_id'),
    quality: z.optional(z.enum(['hd', 'standard'])),
  }),
  ({ prompt }) => ({ created: CREATED_AT_SEC, data: [{ url: address(prompt) }] }),
);

export const xaiImages = jsonMedium(
  z.strictObject({ ...DRAWN, n: Count, response_format: ResponseFormat, user: Text }),
  (body) => ({ data: several(body.n, (at) => pictureOf(body, `${body.prompt}${at}`)) }),
);

export const arkImages = jsonMedium(
  z.strictObject({
    ...DRAWN,
    ...each(Flag, 'watermark', 'stream'),
    image: z.optional(z.union([Picture, z.array(Picture)])),
    size: Text,
    response_format: ResponseFormat,
    sequential_image_generation: z.optional(z.enum(['auto', 'disabled'])),
    sequential_image_generation_options: z.optional(z.strictObject({ max_images: z.int() })),
  }),
  (body) => {
    const n = body.sequential_image_generation_options?.max_images;
    const data = several(n, (at) => pictureOf(body, `${body.prompt}${at}`));
    const tokens = 4096 * data.length;
    const usage = { generated_images: data.length, output_tokens: tokens, total_tokens: tokens };
    return { model: body.model, created: CREATED_AT_SEC, data, usage };
  },
);

const FINE = { base_resp: { status_code: 0, status_msg: 'success' } };

export const minimaxImages = jsonMedium(
  z.strictObject({
    ...DRAWN,
    ...each(Number_, 'width', 'height', 'seed'),
    n: Count,
    aspect_ratio: Ratio,
    response_format: z.enum(['url', 'base64']),
    prompt_optimizer: Flag,
  }),
  ({ prompt, n, response_format }) => {
    const data =
      response_format === 'base64'
        ? { image_base64: several(n, (at) => picture(`${prompt}${at}`)) }
        : { image_urls: several(n, (at) => address(`${prompt}${at}`)) };
    return { id: 'image-1', data, ...FINE };
  },
);

export const minimaxSpeech = jsonMedium(
  z.strictObject({
    model: z.string(),
    text: z.string(),
    stream: z.literal(false),
    voice_setting: z.strictObject({ voice_id: z.string(), speed: Number_ }),
    audio_setting: z.strictObject({ format: z.enum(['mp3', 'pcm', 'flac', 'wav']) }),
  }),
  ({ text }) => {
    const data = { audio: soundOf(text).toString('hex'), status: 2 };
    return { data, extra_info: { usage_characters: [...text].length }, ...FINE };
  },
);

const DashscopeImageBody = z.strictObject({
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
    ...each(Flag, 'prompt_extend', 'watermark'),
    size: PixelSize,
    n: Count,
    seed: Number_,
    negative_prompt: Text,
  }),
});
const DashscopeSpeechBody = z.strictObject({
  model: z.string(),
  input: z.strictObject({
    text: z.string(),
    voice: z.enum(['Cherry', 'Ethan']),
    ...each(Text, 'language_type', 'instructions'),
  }),
});

export const dashscopeGeneration = jsonMedium(
  z.union([DashscopeImageBody, DashscopeSpeechBody]),
  (body, _plan, host) => {
    if ('parameters' in body) {
      const name = JSON.stringify(body.input.messages);
      const content = several(body.parameters.n, (at) => ({ image: address(`${name}${at}`) }));
      const choices = [{ finish_reason: 'stop', message: { role: 'assistant', content } }];
      return { output: { choices }, usage: { image_count: content.length }, request_id: 'r-1' };
    }
    // The audio file is on this server, named after its text.
    const { text } = body.input;
    const url = `http://${host}/files/${Buffer.from(text).toString('base64url')}.wav`;
    const output = { finish_reason: 'stop', audio: { data: '', url, id: 'audio-1' } };
    return { output, usage: { characters: [...text].length }, request_id: 'r-3' };
  },
);

export const dashscopeTask = jsonMedium(
  z.strictObject({
    model: z.string(),
    input: z.strictObject({ prompt: z.string(), negative_prompt: Text }),
    parameters: z.strictObject({
      ...each(Int, 'n', 'seed'),
      ...each(Flag, 'prompt_extend', 'watermark'),
      size: PixelSize,
    }),
  }),
  ({ input, parameters }) => ({
    output: { task_id: taskId(input.prompt, parameters.n ?? 1), task_status: 'PENDING' },
    request_id: 'r-1',
  }),
);

export const prediction = unnamed(
  jsonMedium(
    z.strictObject({
      input: z.strictObject({ prompt: z.string(), aspect_ratio: Ratio, seed: Int }),
    }),
    ({ input }) => ({
      id: taskId(input.prompt, 1),
      status: 'starting',
      output: null,
      error: null,
    }),
  ),
);

/** Some of its models return the image itself. */
export const cloudflareImages = unnamed(
  medium(
    z.strictObject({
      prompt: z.string(),
      negative_prompt: Text,
      ...each(Number_, 'seed', 'num_steps', 'guidance', 'width', 'height'),
    }),
    ({ prompt }, plan) => {
      if (plan.contentType !== undefined)
        return bytesAnswer(Buffer.from(picture(prompt), 'base64'), plan, plan.contentType);
      return jsonAnswer({ success: true, result: { image: picture(prompt) }, errors: [] }, plan);
    },
  ),
);

export const cloudflareTranscript: Medium = {
  schema: undefined,
  answer: (_body, plan) =>
    jsonAnswer({ success: true, result: { text: TRANSCRIPT, word_count: 9 }, errors: [] }, plan),
  modelInPath: true,
};

export const imagen = unnamed(
  jsonMedium(
    z.strictObject({
      instances: z.tuple([z.strictObject({ prompt: z.string() })]),
      parameters: z.strictObject({ sampleCount: Count, aspectRatio: Ratio }),
    }),
    ({ instances: [{ prompt }], parameters }) => {
      if (prompt.includes('forbidden'))
        return { predictions: [{ raiFilteredReason: 'Blocked by a filter.' }] };
      const predictions = several(parameters.sampleCount, (at) => ({
        mimeType: 'image/png',
        bytesBase64Encoded: picture(`${prompt}${at}`),
      }));
      return { predictions };
    },
  ),
);

const DIMENSIONS = 8;

export function vectorOf(text: string, dimensions = DIMENSIONS): number[] {
  return Array.from(
    { length: dimensions },
    (_, at) => (text.charCodeAt(at % text.length) || 1) / 128,
  );
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + promptTokensOf(text), 0);
}

export const geminiEmbeddings = unnamed(
  jsonMedium(
    z.strictObject({
      requests: z
        .array(
          z.strictObject({
            model: z.string().check(z.regex(/^models\/./)),
            content: z.strictObject({ parts: z.array(z.strictObject({ text: z.string() })) }),
            ...each(Text, 'taskType', 'title'),
            outputDimensionality: Int,
          }),
        )
        .check(z.minLength(1)),
    }),
    ({ requests }, plan) => {
      const texts = requests.map(({ content }) => content.parts.map(({ text }) => text).join('\n'));
      const embeddings = texts.map((text, at) => ({
        values: vectorOf(text, requests[at]?.outputDimensionality),
      }));
      const usageMetadata = { promptTokenCount: tokensOf(texts) };
      return { embeddings, ...(plan.usage === 'none' ? {} : { usageMetadata }) };
    },
  ),
);

/** OpenAI's form with only the total of the usage. */
function embeddingList(model: string, input: string | string[], dimensions?: number): object {
  const texts = [input].flat();
  const data = texts.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: vectorOf(text, dimensions),
  }));
  return { object: 'list', model, data, usage: { total_tokens: tokensOf(texts) } };
}

const TextOrTexts = z.union([z.string(), z.array(z.string())]);

export const jinaEmbeddings = jsonMedium(
  z.strictObject({
    model: z.string(),
    input: TextOrTexts,
    task: Text,
    dimensions: Int,
    embedding_type: z.optional(z.enum(['float', 'base64'])),
  }),
  ({ model, input, dimensions }) => embeddingList(model, input, dimensions),
);

export const listEmbeddings = jsonMedium(
  z.strictObject({ model: z.string(), input: z.array(z.string()).check(z.minLength(1)) }),
  ({ model, input }) => embeddingList(model, input),
);

export const voyageEmbeddings = jsonMedium(
  z.strictObject({
    model: z.string(),
    input: TextOrTexts,
    input_type: Text,
    output_dimension: Int,
  }),
  ({ model, input, output_dimension }) => embeddingList(model, input, output_dimension),
);

export const cohereEmbeddings = jsonMedium(
  z.strictObject({
    model: z.string(),
    texts: z.array(z.string()).check(z.minLength(1), z.maxLength(96)),
    input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering']),
    embedding_types: z.tuple([z.literal('float')]),
    output_dimension: Int,
    truncate: z.optional(z.enum(['NONE', 'START', 'END'])),
  }),
  ({ texts, output_dimension }) => ({
    id: 'e-1',
    embeddings: { float: texts.map((text) => vectorOf(text, output_dimension)) },
    texts,
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: tokensOf(texts) } },
    response_type: 'embeddings_by_type',
  }),
);
