/** The body of a Responses call. Unknown fields are refused, as OpenAI does. */
import * as z from 'zod/mini';
import type { ChatBody, Message as ChatMessage } from './request-fields.ts';

const Id = z.optional(z.nullable(z.string()));
const Status = z.optional(z.nullable(z.string()));

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
    image_url: z.optional(z.string()),
    file_id: z.optional(z.string()),
    detail: z.optional(z.string()),
  }),
  z.strictObject({
    type: z.literal('input_file'),
    file_data: z.optional(z.string()),
    file_id: z.optional(z.string()),
    file_url: z.optional(z.string()),
    filename: z.optional(z.string()),
  }),
]);

const Parts = z.array(Part).check(z.minLength(1));

const Message = z.strictObject({
  type: z.optional(z.literal('message')),
  id: Id,
  status: Status,
  phase: Status,
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), Parts]),
});

const CallId = z.string().check(z.minLength(1), z.maxLength(64));
const Output = z.union([z.string(), Parts]);

const Item = z.union([
  Message,
  z.strictObject({
    type: z.literal('reasoning'),
    id: Id,
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
    content: z.optional(z.nullable(z.array(z.unknown()))),
    encrypted_content: z.optional(z.nullable(z.string())),
    status: Status,
  }),
  z.strictObject({
    type: z.literal('function_call'),
    id: Id,
    call_id: CallId,
    name: z.string(),
    arguments: z.string(),
    status: Status,
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    id: Id,
    call_id: CallId,
    output: Output,
    status: Status,
  }),
  z.strictObject({
    type: z.literal('custom_tool_call'),
    id: Id,
    call_id: CallId,
    name: z.string(),
    input: z.string(),
    status: Status,
  }),
  z.strictObject({
    type: z.literal('custom_tool_call_output'),
    id: Id,
    call_id: CallId,
    output: Output,
  }),
  z.strictObject({ type: z.literal('item_reference'), id: z.string() }),
  z.strictObject({ type: z.literal('compaction'), id: Id, encrypted_content: z.string() }),
  z.looseObject({ type: z.enum(['local_shell_call', 'local_shell_call_output']) }),
]);

const Tool = z.union([
  z.strictObject({
    type: z.literal('function'),
    name: z.string(),
    description: z.optional(z.nullable(z.string())),
    parameters: z.nullable(z.looseObject({})),
    // Required by the API, but may be null.
    strict: z.nullable(z.boolean()),
  }),
  z.strictObject({
    type: z.literal('custom'),
    name: z.string(),
    description: z.optional(z.string()),
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
    description: z.optional(z.string()),
    schema: z.looseObject({}),
    strict: z.optional(z.nullable(z.boolean())),
  }),
]);

const INCLUDES = ['reasoning.encrypted_content', 'message.output_text.logprobs'] as const;

export const ResponsesBody = z.strictObject({
  model: z.string(),
  input: z.optional(z.union([z.string(), z.array(Item)])),
  instructions: z.optional(z.nullable(z.string())),
  stream: z.optional(z.nullable(z.boolean())),
  stream_options: z.optional(z.looseObject({})),
  store: z.optional(z.nullable(z.boolean())),
  background: z.optional(z.nullable(z.boolean())),
  include: z.optional(z.nullable(z.array(z.enum(INCLUDES)))),
  previous_response_id: Id,
  max_output_tokens: z.optional(z.nullable(z.int().check(z.gte(16)))),
  temperature: z.optional(z.nullable(z.number())),
  top_p: z.optional(z.nullable(z.number())),
  tools: z.optional(z.array(Tool)),
  tool_choice: z.optional(z.union([z.string(), z.looseObject({ type: z.string() })])),
  parallel_tool_calls: z.optional(z.nullable(z.boolean())),
  reasoning: z.optional(
    z.nullable(
      z.strictObject({
        effort: z.optional(z.nullable(z.string())),
        summary: z.optional(z.nullable(z.string())),
      }),
    ),
  ),
  text: z.optional(
    z.strictObject({ format: z.optional(Format), verbosity: z.optional(z.string()) }),
  ),
  metadata: z.optional(z.nullable(z.record(z.string(), z.string()))),
  prompt_cache_key: z.optional(z.string()),
  service_tier: z.optional(z.nullable(z.string())),
  truncation: z.optional(z.nullable(z.string())),
  user: z.optional(z.string()),
  safety_identifier: z.optional(z.string()),
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

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: readonly { readonly text?: unknown }[] = Array.isArray(content) ? content : [];
  return parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join(' ');
}
