/** Coze's bots and AI Proxy's library. */
import * as z from 'zod/mini';
import type { Chunk } from '../answers/chunk.ts';
import { tokensIn } from '../content/text.ts';
import { app, BARE, frame, questionBody, textOf, texts } from './vendor-protocol.ts';

const COZE_NAMES = new WeakMap<object, string>();

function cozeFrame(name: string, fields: object, tokens = 0, finishes = false): Chunk {
  const chunk = frame(fields, tokens, finishes);
  COZE_NAMES.set(chunk.body, `conversation.${name}`);
  return chunk;
}

const COZE_ERROR = { code: 4000, msg: 'broken' };
COZE_NAMES.set(COZE_ERROR, 'error');

export const coze = app({
  body: z.strictObject({
    bot_id: z.literal('fake-bot'),
    user_id: z.string().check(z.minLength(1)),
    stream: z.literal(true),
    auto_save_history: z.boolean(),
    additional_messages: z
      .array(
        z.strictObject({
          role: z.enum(['user', 'assistant']),
          content: z.string(),
          content_type: z.enum(['text', 'object_string']),
        }),
      )
      .check(z.minLength(1)),
  }),
  wire: { named: (body) => COZE_NAMES.get(body), done: false, error: COZE_ERROR },
  streams: () => true,
  chat: (body) => ({
    model: 'app',
    messages: [{ role: 'user', content: partsOf(body.additional_messages.at(-1)) }],
  }),
  plain: () => ({}),
  frames: (composed) => [
    cozeFrame('chat.created', { id: composed.id, status: 'created' }),
    cozeFrame('chat.in_progress', { id: composed.id, status: 'in_progress' }),
    ...composed.choice.pieces.map((content) =>
      cozeFrame('message.delta', { type: 'answer', content }, tokensIn(content)),
    ),
    cozeFrame('message.completed', { type: 'answer', content: textOf(composed) }),
    cozeFrame('message.completed', { type: 'verbose', content: '{"msg_type":"done"}' }),
    cozeFrame(
      'chat.completed',
      {
        id: composed.id,
        status: 'completed',
        usage: {
          token_count: composed.usage.total_tokens,
          input_count: composed.usage.prompt_tokens,
          output_count: composed.usage.completion_tokens,
        },
      },
      0,
      true,
    ),
  ],
});

const CozeParts = z.array(
  z.union([
    z.strictObject({ type: z.literal('text'), text: z.string() }),
    z.strictObject({ type: z.enum(['image', 'file', 'audio']), file_url: z.string() }),
    z.strictObject({
      type: z.enum(['image', 'file', 'audio']),
      file_id: z.literal('fake-file-id'),
    }),
  ]),
);

/** Parts are JSON in a text; invalid ones are an error of the test. */
function partsOf(message: { readonly content: string; readonly content_type: string } | undefined) {
  if (message?.content_type !== 'object_string') return message?.content ?? '';
  return CozeParts.parse(JSON.parse(message.content)).map((part) => {
    if ('text' in part) return { type: 'text', text: part.text };
    return { type: 'image_url', image_url: 'file_id' in part ? part.file_id : part.file_url };
  });
}

const DOCUMENTS = [{ title: 'Handbook', url: 'https://library.example/1' }] as const;

export const library = app({
  body: z.strictObject({
    model: z.string(),
    query: z.string().check(z.minLength(1)),
    libraryId: z.literal('fake-library'),
    stream: z.boolean(),
  }),
  wire: { ...BARE, error: { success: false, errCode: 'broken', message: 'broken' } },
  streams: (body) => body.stream,
  chat: (body) => questionBody(body.query, body.model),
  plain: (composed) => ({ success: true, answer: textOf(composed), documents: DOCUMENTS }),
  frames: (composed) => [
    ...texts(composed, (content) => ({
      content,
      finish: false,
      model: composed.model,
      documents: [],
    })),
    frame({ content: '', finish: true, model: composed.model, documents: DOCUMENTS }, 0, true),
  ],
});
