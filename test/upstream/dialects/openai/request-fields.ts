/**
 * The request body fields that affect the response; all others are ignored. Null counts as absent,
 * as with OpenAI.
 */
import * as z from 'zod/mini';
import { each } from '../schema-parts.ts';

const Flag = z.nullish(z.boolean());
const Limit = z.nullish(z.int().check(z.nonnegative()));
const Text = z.nullish(z.string());

const Part = z.looseObject({ type: Text, text: Text, image_url: z.optional(z.unknown()) });
const Content = z.nullish(z.union([z.string(), z.array(Part)]));

const Message = z.looseObject({ role: z.string(), content: Content });

const Named = z.looseObject({ name: z.string(), parameters: z.optional(z.unknown()) });
const Tool = z.looseObject({
  type: z.string(),
  function: z.optional(Named),
  custom: z.optional(Named),
});
const Choice = z.looseObject({
  type: Text,
  name: Text,
  function: z.nullish(Named),
  custom: z.nullish(Named),
});

const StreamOptions = z.nullish(z.looseObject({ include_usage: Flag }));
const Stop = z.nullish(z.union([z.string(), z.array(z.string())]));

export const ChatBody = z.looseObject({
  model: Text,
  messages: z.array(Message).check(z.minLength(1)),
  n: z.nullish(z.int().check(z.gte(1), z.lte(128))),
  stop: Stop,
  ...each(Limit, 'max_tokens', 'max_completion_tokens', 'top_logprobs'),
  ...each(Flag, 'stream', 'parallel_tool_calls', 'logprobs', 'enable_thinking'),
  ...each(Text, 'service_tier', 'reasoning_effort'),
  seed: z.nullish(z.int()),
  stream_options: StreamOptions,
  tools: z.nullish(z.array(Tool)),
  tool_choice: z.nullish(z.union([z.string(), Choice])),
  functions: z.nullish(z.array(Named)),
  function_call: z.nullish(z.union([z.string(), Choice])),
  response_format: z.nullish(
    z.looseObject({
      type: z.string(),
      json_schema: z.optional(z.looseObject({ schema: z.optional(z.unknown()) })),
    }),
  ),
  reasoning: z.nullish(z.looseObject({})),
  thinking: z.nullish(z.looseObject({ type: Text })),
});

/** The fields Azure accepts: it refuses all others, some of which OpenAI ignores. */
export const AZURE_CHAT_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(
    z.omit(ChatBody, { reasoning: true, thinking: true, enable_thinking: true }).shape,
  ),
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'user',
  'reasoning_effort',
  'verbosity',
  'metadata',
  'store',
  'modalities',
  'audio',
  'prediction',
  'data_sources',
]);

/** Token arrays are counted by length, texts by bytes. */
const TextOrTokens = z.union([
  z.string(),
  z.array(z.string()),
  z.array(z.int()),
  z.array(z.array(z.int())),
]);

export const CompletionBody = z.looseObject({
  model: Text,
  prompt: TextOrTokens,
  n: z.nullish(z.int().check(z.gte(1), z.lte(128))),
  stop: Stop,
  ...each(Limit, 'max_tokens', 'logprobs'),
  ...each(Flag, 'echo', 'stream'),
  seed: z.nullish(z.int()),
  stream_options: StreamOptions,
});

export const EmbeddingBody = z.looseObject({
  model: Text,
  input: TextOrTokens,
  dimensions: z.nullish(z.int().check(z.gte(1), z.lte(8192))),
  encoding_format: z.nullish(z.enum(['float', 'base64'])),
});

export const ModerationBody = z.looseObject({
  model: Text,
  input: z.union([z.string(), z.array(z.string()), z.array(Part)]),
});

export type ChatBody = z.output<typeof ChatBody>;
export type CompletionBody = z.output<typeof CompletionBody>;
export type EmbeddingBody = z.output<typeof EmbeddingBody>;
export type ModerationBody = z.output<typeof ModerationBody>;
export type Message = z.output<typeof Message>;
export type Part = z.output<typeof Part>;

/**
 * One text or token list per requested response: `"a"`, `["a","b"]`, `[1,2]` and `[[1],[2]]` alike.
 */
export function listOf(input: z.output<typeof TextOrTokens>): (string | readonly number[])[] {
  if (typeof input === 'string') return [input];
  const texts: (string | readonly number[])[] = [];
  const tokens: number[] = [];
  for (const item of input) {
    if (typeof item === 'number') tokens.push(item);
    else texts.push(item);
  }
  return tokens.length > 0 ? [tokens] : texts;
}

/** The text of a message in any dialect: a string, or its text parts on one line. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: readonly { readonly text?: unknown }[] = Array.isArray(content) ? content : [];
  return parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join(' ');
}
