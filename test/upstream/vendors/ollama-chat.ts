/** Ollama's `/api/chat`: JSON lines. */
import * as z from 'zod/mini';
import { frameSet } from '../answers/frame-set.ts';
import { app, BARE } from './vendor-protocol.ts';

export const ollama = app({
  body: z.strictObject({
    model: z.string(),
    messages: z.array(
      z.strictObject({
        role: z.enum(['system', 'user', 'assistant', 'tool']),
        content: z.string(),
        thinking: z.optional(z.string()),
        images: z.optional(z.array(z.string().check(z.regex(/^[A-Za-z0-9+/=]+$/)))),
        tool_calls: z.optional(z.array(z.looseObject({ function: z.looseObject({}) }))),
        tool_name: z.optional(z.string()),
        tool_call_id: z.optional(z.string()),
      }),
    ),
    stream: z.boolean(),
    tools: z.optional(
      z.array(z.looseObject({ type: z.string(), function: z.looseObject({ name: z.string() }) })),
    ),
    format: z.optional(z.unknown()),
    think: z.optional(z.union([z.boolean(), z.string()])),
    keep_alive: z.optional(z.unknown()),
    options: z.optional(
      z.strictObject({
        num_ctx: z.optional(z.int()),
        num_predict: z.optional(z.int()),
        temperature: z.optional(z.number()),
        top_p: z.optional(z.number()),
        top_k: z.optional(z.number()),
        seed: z.optional(z.int()),
        stop: z.optional(z.array(z.string())),
        presence_penalty: z.optional(z.number()),
        frequency_penalty: z.optional(z.number()),
      }),
    ),
  }),
  wire: { ...BARE, lines: true },
  streams: (body) => body.stream,
  chat: ({ model, messages, tools, options, think }) => ({
    model,
    messages: messages.map(({ role, content, images = [] }) => ({
      role,
      content: [{ type: 'text', text: content }, ...images.map(pictureOf)],
    })),
    enable_thinking: think !== undefined && think !== false,
    max_tokens: options?.num_predict,
    tools,
  }),
  frames: frameSet('ollama'),
});

function pictureOf(data: string) {
  return { type: 'image_url', image_url: `data:image/png;base64,${data}` };
}
