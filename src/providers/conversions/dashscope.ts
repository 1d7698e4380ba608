/**
 * DashScope's native API: images in the response or by a task, and speech. Source:
 * help.aliyun.com/zh/model-studio, "text-to-image-v2-api-reference", "qwen-tts-api".
 */
import { definedFields } from '../../domain/defined-fields.ts';
import { type JsonObject, numberIn, objectIn, objectsIn, textIn } from '../../json/read-json.ts';
import {
  type Conversion,
  fileDataUrl,
  pickFields,
  unsupportedField,
  voiceOrDefault,
} from './conversion.ts';
import { imageUrlAnswer } from './images.ts';

/** Prefixes of models that generate images only by a task; later models respond with the image. */
export const TASK_IMAGE_MODELS = [
  'wanx',
  'wan2.1-',
  'wan2.2-',
  'wan2.5-',
  'flux',
  'stable-diffusion',
];

function drawsByTask(model: string): boolean {
  return TASK_IMAGE_MODELS.some((beginning) => model.startsWith(beginning));
}

export const dashscopeImages: Conversion = {
  headers: (model): Readonly<Record<string, string>> =>
    drawsByTask(model) ? { 'x-dashscope-async': 'enable' } : {},
  writeBody(body, { model, files }) {
    if (files.some(({ name }) => name === 'mask')) throw unsupportedField('mask');
    const size = typeof body.size === 'string' ? body.size.replace('x', '*') : undefined;
    const parameters = definedFields({
      ...pickFields(body, 'n', 'seed', 'prompt_extend', 'watermark'),
      size: size === 'auto' ? undefined : size,
    });
    if (drawsByTask(model)) {
      if (files.length > 0) throw unsupportedField('image');
      return { model, input: pickFields(body, 'prompt', 'negative_prompt'), parameters };
    }
    const content = [...files.map((file) => ({ image: fileDataUrl(file) })), { text: body.prompt }];
    return {
      model,
      input: { messages: [{ role: 'user', content }] },
      parameters: { ...parameters, ...pickFields(body, 'negative_prompt') },
    };
  },
  follow(json) {
    const output = objectIn(json, 'output');
    const id = textIn(output, 'task_id');
    const isOver = ENDS.has(textIn(output, 'task_status') ?? 'SUCCEEDED');
    if (id === undefined || isOver) return undefined;
    return { kind: 'ask', path: `/api/v1/tasks/${encodeURIComponent(id)}` };
  },
  readAnswer(json, input) {
    const output = objectIn(json, 'output');
    const failure = failureIn(output);
    if (failure !== undefined) return failure;
    const parts = objectsIn(output, 'choices').flatMap((choice) =>
      objectsIn(objectIn(choice, 'message'), 'content'),
    );
    const urls = [
      ...parts.flatMap((part) => textIn(part, 'image') ?? []),
      ...objectsIn(output, 'results').flatMap((result) => textIn(result, 'url') ?? []),
    ];
    return imageUrlAnswer(urls, input);
  },
};

const ENDS: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'CANCELED', 'UNKNOWN']);

/** A failed task is reported with a success status, so it is converted to OpenAI's error format. */
function failureIn(output: JsonObject | undefined): JsonObject | undefined {
  const status = textIn(output, 'task_status') ?? 'SUCCEEDED';
  if (status === 'SUCCEEDED') return undefined;
  const message = textIn(output, 'message') ?? `the task ended with ${status}`;
  return { error: { message, code: textIn(output, 'code') ?? status, type: 'upstream_error' } };
}

/** Only the native format: Qwen returns WAV. */
const SOUND_FORMATS: ReadonlySet<unknown> = new Set([undefined, null, 'wav']);

/** The audio is at a URL; newer models are billed by characters, older ones by tokens. */
export const dashscopeSpeech: Conversion = {
  writeBody(body) {
    if (!SOUND_FORMATS.has(body.response_format)) throw unsupportedField('response_format');
    if (body.stream_format === 'sse') throw unsupportedField('stream_format');
    return {
      model: body.model,
      input: definedFields({
        text: body.input,
        voice: voiceOrDefault(body, 'Cherry'),
        language_type: body.language_type ?? undefined,
        instructions: body.instructions ?? undefined,
      }),
    };
  },
  follow(json) {
    const url = textIn(objectIn(objectIn(json, 'output'), 'audio'), 'url');
    return url === undefined ? undefined : { kind: 'fetch', url };
  },
  readAnswer(json, { lying }) {
    const data = textIn(objectIn(objectIn(json, 'output'), 'audio'), 'data') ?? '';
    const usage = objectIn(json, 'usage');
    const characters = numberIn(usage, 'characters');
    return {
      audio: lying?.bytes ?? Buffer.from(data, 'base64'),
      type: lying?.type ?? 'audio/wav',
      usage: characters === undefined ? usage : { prompt_tokens: characters },
    };
  },
};
