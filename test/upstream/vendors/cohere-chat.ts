/** Cohere's chat API, version 2. */
import * as z from 'zod/mini';
import { frameSet } from '../answers/frame-set.ts';
import { each } from '../dialects/schema-parts.ts';
import { app } from './vendor-protocol.ts';

const Text = z.strictObject({ type: z.literal('text'), text: z.string() });
const Picture = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({ url: z.string() }),
});
const Call = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});
const Tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string(),
    description: z.optional(z.string()),
    parameters: z.looseObject({ type: z.literal('object') }),
  }),
});
const Number_ = z.optional(z.number());

export const cohere = app({
  body: z.strictObject({
    model: z.string(),
    messages: z
      .array(
        z.discriminatedUnion('role', [
          z.strictObject({ role: z.literal('system'), content: z.string() }),
          z.strictObject({
            role: z.literal('user'),
            content: z.union([z.string(), z.array(z.union([Text, Picture]))]),
          }),
          z.strictObject({
            role: z.literal('assistant'),
            content: z.optional(z.union([z.string(), z.array(Text)])),
            tool_calls: z.optional(z.array(Call)),
            tool_plan: z.optional(z.string()),
          }),
          z.strictObject({
            role: z.literal('tool'),
            ...each(z.string(), 'tool_call_id', 'content'),
          }),
        ]),
      )
      .check(z.minLength(1)),
    stream: z.boolean(),
    tools: z.optional(z.array(Tool)),
    tool_choice: z.optional(z.enum(['REQUIRED', 'NONE'])),
    response_format: z.optional(
      z.strictObject({
        type: z.literal('json_object'),
        json_schema: z.optional(z.looseObject({})),
      }),
    ),
    max_tokens: z.optional(z.int()),
    stop_sequences: z.optional(z.array(z.string()).check(z.maxLength(5))),
    ...each(Number_, 'temperature', 'k', 'seed', 'frequency_penalty', 'presence_penalty'),
    p: z.optional(z.number().check(z.gte(0.01), z.lte(0.99))),
    thinking: z.optional(
      z.strictObject({
        type: z.enum(['enabled', 'disabled']),
        token_budget: z.optional(z.int().check(z.gte(0))),
      }),
    ),
    documents: z.optional(z.array(z.unknown())),
    citation_options: z.optional(z.unknown()),
    safety_mode: z.optional(z.string()),
    ...each(z.optional(z.boolean()), 'logprobs', 'strict_tools'),
  }),
  wire: {
    named: true,
    done: false,
    error: { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'broken' } },
  },
  streams: (body) => body.stream,
  chat: (body) => ({
    // Only the thinking option decides here, not the model name.
    model: 'command',
    messages: body.messages,
    tools: body.tool_choice === 'NONE' ? undefined : body.tools,
    tool_choice: body.tool_choice === 'REQUIRED' ? 'required' : undefined,
    enable_thinking: body.thinking?.type === 'enabled',
    max_tokens: body.max_tokens,
    stop: body.stop_sequences,
    response_format: formatOf(body.response_format),
  }),
  frames: frameSet('cohere'),
  // The model reads more tokens than are billed.
  values: ({ prompt_tokens, completion_tokens = 0 }, { finish, calls }) => ({
    finish: FINISHES[finish],
    plan: calls.length > 0 ? 'I will call a tool.' : undefined,
    read: prompt_tokens + 497,
    written: completion_tokens + 2,
  }),
});

function formatOf(format: { json_schema?: object | undefined } | undefined) {
  if (format === undefined) return undefined;
  const { json_schema: schema } = format;
  return schema === undefined
    ? { type: 'json_object' as const }
    : { type: 'json_schema' as const, json_schema: { name: 'answer', schema } };
}

const FINISHES = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  function_call: 'TOOL_CALL',
  content_filter: 'COMPLETE',
} as const;
