/** Ollama's `/api/chat`: JSON lines. */
import * as z from 'zod/mini';
import { frameSet } from '../answers/frame-set.ts';
import { each } from '../dialects/schema-parts.ts';
import { app, BARE } from './vendor-protocol.ts';

export const ollama = app({
  body: z.strictObject({
    model: z.string(),
    messages: z.array(
      z.strictObject({
        role: z.enum(['system', 'user', 'assistant', 'tool']),
        content: z.string(),
        ...each(z.optional(z.string()), 'thinking', 'tool_name', 'tool_call_id'),
        images: z.optional(z.array(z.string().check(z.regex(/^[A-Za-z0-9+/=]+$/)))),
        tool_calls: z.optional(z.array(z.looseObject({ function: z.looseObject({}) }))),
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
        ...each(z.optional(z.int()), 'num_ctx', 'num_predict', 'seed'),
        ...each(z.optional(z.number()), 'temperature', 'top_p', 'top_k'),
        ...each(z.optional(z.number()), 'presence_penalty', 'frequency_penalty'),
        stop: z.optional(z.array(z.string())),
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
