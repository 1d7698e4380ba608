/** The body of a Responses call. Unknown fields are refused, as OpenAI does. */
import * as z from 'zod/mini';
import { each } from '../schema-parts.ts';
import { type ChatBody, type Message as ChatMessage, textOf } from './request-fields.ts';

const Text = z.nullish(z.string());
const Flag = z.nullish(z.boolean());
const OptionalText = z.optional(z.string());

const Part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z.strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.optional(z.array(z.unknown())),
    logprobs: z.optional(z.array(z.unknown())),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.strictObject({
    type: z.literal('input_image'),
    ...each(OptionalText, 'image_url', 'file_id', 'detail'),
  }),
  z.strictObject({
    type: z.literal('input_file'),
    ...each(OptionalText, 'file_data', 'file_id', 'file_url', 'filename'),
  }),
]);

const Parts = z.array(Part).check(z.minLength(1));

const Message = z.strictObject({
  type: z.optional(z.literal('message')),
  ...each(Text, 'id', 'status', 'phase'),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), Parts]),
});

const CallId = z.string().check(z.minLength(1), z.maxLength(64));
/** Fields of a call and of its output. */
const CALLED = { ...each(Text, 'id', 'status'), call_id: CallId };
const Output = z.union([z.string(), Parts]);

const Item = z.union([
  Message,
  z.strictObject({
    type: z.literal('reasoning'),
    ...each(Text, 'id', 'encrypted_content', 'status'),
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
    content: z.nullish(z.array(z.unknown())),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    ...CALLED,
    ...each(z.string(), 'name', 'arguments'),
  }),
  z.strictObject({ type: z.literal('function_call_output'), ...CALLED, output: Output }),
  z.strictObject({
    type: z.literal('custom_tool_call'),
    ...CALLED,
    ...each(z.string(), 'name', 'input'),
  }),
  z.strictObject({
    type: z.literal('custom_tool_call_output'),
    id: Text,
    call_id: CallId,
    output: Output,
  }),
  z.strictObject({ type: z.literal('item_reference'), id: z.string() }),
  z.strictObject({ type: z.literal('compaction'), id: Text, encrypted_content: z.string() }),
  z.looseObject({ type: z.enum(['local_shell_call', 'local_shell_call_output']) }),
]);

const Tool = z.union([
  z.strictObject({
    type: z.literal('function'),
    name: z.string(),
    description: Text,
    parameters: z.nullable(z.looseObject({})),
    // Required by the API, but may be null.
    strict: z.nullable(z.boolean()),
  }),
  z.strictObject({
    type: z.literal('custom'),
    name: z.string(),
    description: OptionalText,
    format: z.optional(
      z.union([
        z.strictObject({ type: z.literal('text') }),
        z.strictObject({
          type: z.literal('grammar'),
          syntax: z.enum(['lark', 'regex']),
          definition: z.string(),
        }),
      ]),
    ),
  }),
  z.looseObject({ type: z.enum(['web_search', 'web_search_preview', 'local_shell', 'mcp']) }),
]);

const Format = z.union([
  z.strictObject({ type: z.enum(['text', 'json_object']) }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: z.string(),
    description: OptionalText,
    schema: z.looseObject({}),
    strict: Flag,
  }),
]);

const INCLUDES = ['reasoning.encrypted_content', 'message.output_text.logprobs'] as const;

export const ResponsesBody = z.strictObject({
  model: z.string(),
  input: z.optional(z.union([z.string(), z.array(Item)])),
  ...each(Text, 'instructions', 'previous_response_id', 'service_tier', 'truncation'),
  ...each(Flag, 'stream', 'store', 'background', 'parallel_tool_calls'),
  ...each(z.nullish(z.number()), 'temperature', 'top_p'),
  ...each(OptionalText, 'prompt_cache_key', 'user', 'safety_identifier'),
  stream_options: z.optional(z.looseObject({})),
  include: z.nullish(z.array(z.enum(INCLUDES))),
  max_output_tokens: z.nullish(z.int().check(z.gte(16))),
  tools: z.optional(z.array(Tool)),
  tool_choice: z.optional(z.union([z.string(), z.looseObject({ type: z.string() })])),
  reasoning: z.nullish(z.strictObject(each(Text, 'effort', 'summary'))),
  text: z.optional(z.strictObject({ format: z.optional(Format), verbosity: OptionalText })),
  metadata: z.nullish(z.record(z.string(), z.string())),
});

export type ResponsesBody = z.output<typeof ResponsesBody>;

/** Converts the request to the internal form of this server. */
export function chatOf(body: ResponsesBody): ChatBody {
  const { input = '', text } = body;
  const instructions = body.instructions ? [{ role: 'system', content: body.instructions }] : [];
  const messages =
    typeof input === 'string' ? [{ role: 'user', content: input }] : input.flatMap(messagesOf);
  const format = text?.format;
  const isSchema = format?.type === 'json_schema';
  return {
    model: body.model,
    messages: [...instructions, ...messages],
    max_tokens: body.max_output_tokens,
    tools: body.tools?.flatMap((tool): NonNullable<ChatBody['tools']> => {
      if (tool.type === 'function')
        return [{ type: 'function', function: { name: tool.name, parameters: tool.parameters } }];
      return tool.type === 'custom' ? [{ type: 'custom', custom: { name: tool.name } }] : [];
    }),
    tool_choice: choiceOf(body),
    parallel_tool_calls: body.parallel_tool_calls,
    // Reasoning is sent only if its summary is requested.
    reasoning_effort: body.reasoning?.summary ? body.reasoning.effort : undefined,
    response_format: isSchema
      ? { type: format.type, json_schema: { schema: format.schema } }
      : format && { type: format.type },
  };
}

function choiceOf({ tool_choice: choice }: ResponsesBody): ChatBody['tool_choice'] {
  if (typeof choice !== 'object') return choice;
  const { type, name } = choice;
  if (type === 'function') return { type, function: { name: String(name) } };
  return type === 'custom' ? { type, custom: { name: String(name) } } : undefined;
}

function messagesOf(item: z.output<typeof Item>): ChatMessage[] {
  if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output')
    return [{ role: 'tool', content: textOf(item.output) }];
  if ('role' in item && 'content' in item)
    return [{ role: String(item.role), content: partsOf(item.content) }];
  return [];
}

function partsOf(content: unknown): ChatMessage['content'] {
  const parts: readonly { readonly text?: unknown; readonly image_url?: unknown }[] = Array.isArray(
    content,
  )
    ? content
    : [];
  if (!parts.some((part) => part.image_url !== undefined)) return textOf(content);
  return parts.map(({ text, image_url }) =>
    image_url === undefined
      ? { type: 'text', text: String(text) }
      : { type: 'image_url', image_url },
  );
}
