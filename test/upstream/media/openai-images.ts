/** Images in OpenAI's format: generations, edits and variations, streamed and non-streamed. */
import * as z from 'zod/mini';
import { type Answer, jsonAnswer, streamAnswer } from '../answers/answer.ts';
import { bareChunk } from '../answers/chunk.ts';
import { NAMED_WIRE } from '../answers/wires.ts';
import { fingerprint, promptTokensOf } from '../content/text.ts';
import { CREATED_AT_SEC } from '../dialects/openai/chat-completions.ts';
import { each } from '../dialects/schema-parts.ts';
import type { Plan } from '../plans/plan.ts';

const Text = z.optional(z.string());
const Count = z.optional(z.pipe(z.coerce.number(), z.int().check(z.gte(1), z.lte(10))));
const Switch = z.optional(z.union([z.boolean(), z.stringbool()]));
export const File = z.strictObject({
  filename: z.string(),
  type: z.string(),
  content: z.string().check(z.minLength(1)),
});
const Files = z.union([File, z.array(File)]);

const FIELDS = {
  ...each(z.string(), 'model', 'prompt'),
  ...each(Text, 'size', 'quality', 'style', 'background', 'output_format', 'moderation', 'user'),
  n: Count,
  output_compression: z.optional(z.coerce.number()),
  stream: Switch,
  partial_images: z.optional(z.pipe(z.coerce.number(), z.int().check(z.gte(0), z.lte(3)))),
  response_format: z.optional(z.enum(['url', 'b64_json'])),
};

/** Models billed by token return base64 images and refuse `response_format`. */
function isValidFormat({ model, response_format }: { model: string; response_format?: unknown }) {
  return !model.startsWith('gpt-image') || response_format === undefined;
}
const validFormat = z.refine<Parameters<typeof isValidFormat>[0]>(
  isValidFormat,
  'Unknown parameter: response_format',
);

export const ImageBody = z.strictObject(FIELDS).check(validFormat);
export const EditBody = z
  .strictObject({
    ...FIELDS,
    image: z.optional(Files),
    'image[]': z.optional(Files),
    mask: z.optional(File),
    input_fidelity: Text,
  })
  .check(z.refine((body) => body.image !== undefined || body['image[]'] !== undefined, 'no image'))
  .check(validFormat);
export const VariationBody = z.strictObject({
  model: z.string(),
  image: File,
  n: Count,
  ...each(Text, 'size', 'user'),
  response_format: z.optional(z.enum(['url', 'b64_json'])),
});

type Body = z.output<typeof ImageBody>;

/** gpt-image's token count for a square image of medium quality. */
export const TOKENS_PER_PICTURE = 1056;

export interface ImageUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly input_tokens_details: { readonly text_tokens: number; readonly image_tokens: number };
}

function usageOf(prompt: string, n: number, imageTokens: number): ImageUsage {
  const text = promptTokensOf(prompt);
  const output = n * TOKENS_PER_PICTURE;
  return {
    input_tokens: text + imageTokens,
    output_tokens: output,
    total_tokens: text + imageTokens + output,
    input_tokens_details: { text_tokens: text, image_tokens: imageTokens },
  };
}

export function picture(name: string): string {
  return Buffer.from(`picture of ${name}`).toString('base64');
}

const INPUT_PICTURE_TOKENS = 323;

export function imageAnswer(body: Body, plan: Plan, kind: 'generation' | 'edit'): Answer {
  const { model, prompt, n = 1 } = body;
  const inTokens = model.startsWith('gpt-image') && plan.usage !== 'none';
  const inputPicture = kind === 'edit' ? INPUT_PICTURE_TOKENS : 0;
  const usage = inTokens ? usageOf(prompt, n, inputPicture) : undefined;
  const pictures = Array.from({ length: n }, (_, at) => `${prompt} ${at}`);
  const streams = plan.answerAs ? plan.answerAs === 'stream' : body.stream === true;
  if (streams) return imageStream(body, pictures, usage, plan, kind);
  const data = pictures.map((name) => pictureOf(body, name));
  return jsonAnswer({ created: CREATED_AT_SEC, data, usage }, plan);
}

export function pictureOf(
  { model, response_format }: { model: string; response_format?: string | undefined },
  name: string,
): object {
  const isAddress = !model.startsWith('gpt-image') && response_format !== 'b64_json';
  return isAddress
    ? { url: `https://pictures.example/${fingerprint(name)}.png` }
    : { b64_json: picture(name) };
}

function imageStream(
  body: Body,
  pictures: readonly string[],
  usage: ImageUsage | undefined,
  plan: Plan,
  kind: string,
): Answer {
  const type = `image_${kind}`;
  const partial = Array.from({ length: body.partial_images ?? 0 }, (_, partial_image_index) => {
    const part = { type: `${type}.partial_image`, b64_json: picture('part'), partial_image_index };
    return bareChunk(part, false);
  });
  const whole = pictures.map((name) =>
    bareChunk({ type: `${type}.completed`, b64_json: picture(name), usage }, true),
  );
  return streamAnswer([...partial, ...whole], plan, undefined, NAMED_WIRE);
}
