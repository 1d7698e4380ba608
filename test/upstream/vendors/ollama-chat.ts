/** Ollama's `/api/chat`: JSON lines. */
import * as z from 'zod/mini';
import { tokensIn } from '../content/text.ts';
import { app, BARE, frame, textOf, texts, type VendorAnswer } from './vendor-protocol.ts';

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
  plain: (answer) => ({
    ...ollamaHead(answer),
    message: { role: 'assistant', content: textOf(answer), ...ollamaExtras(answer) },
    ...ollamaEnd(answer),
  }),
  frames: (answer) => [
    ...answer.choice.reasoning.map((thinking) =>
      frame(
        {
          ...ollamaHead(answer),
          message: { role: 'assistant', content: '', thinking },
          done: false,
        },
        tokensIn(thinking),
      ),
    ),
    ...texts(answer, (content) => ({
      ...ollamaHead(answer),
      message: { role: 'assistant', content },
      done: false,
    })),
    ...(answer.choice.calls.length === 0
      ? []
      : [
          frame({
            ...ollamaHead(answer),
            message: { role: 'assistant', content: '', tool_calls: ollamaCalls(answer) },
            done: false,
          }),
        ]),
    frame(
      {
        ...ollamaHead(answer),
        message: { role: 'assistant', content: '' },
        ...ollamaEnd(answer),
      },
      0,
      true,
    ),
  ],
});

function pictureOf(data: string) {
  return { type: 'image_url', image_url: `data:image/png;base64,${data}` };
}

function ollamaHead({ model }: VendorAnswer) {
  return { model, created_at: '2026-01-01T00:00:00Z' };
}

function ollamaCalls({ choice }: VendorAnswer) {
  return choice.calls.map(({ name, pieces }) => ({
    function: { name, arguments: JSON.parse(pieces.join('') || '{}') },
  }));
}

function ollamaExtras(answer: VendorAnswer) {
  const thinking = answer.choice.reasoning.join('');
  const calls = ollamaCalls(answer);
  return {
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function ollamaEnd({ choice, usage }: VendorAnswer) {
  return {
    done: true,
    done_reason: choice.finish === 'length' ? 'length' : 'stop',
    total_duration: 5_000_000,
    prompt_eval_count: usage.prompt_tokens,
    eval_count: usage.completion_tokens,
  };
}
