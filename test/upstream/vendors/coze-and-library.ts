/** Coze's bots and AI Proxy's library. */
import * as z from 'zod/mini';
import { eventName, frameSet } from '../answers/frame-set.ts';
import { app, BARE, questionBody } from './vendor-protocol.ts';

const COZE_ERROR = { code: 4000, msg: 'broken' };

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
  wire: {
    named: (body) => (body === COZE_ERROR ? 'error' : eventName(body)),
    done: false,
    error: COZE_ERROR,
  },
  streams: () => true,
  chat: (body) => ({
    model: 'app',
    messages: [{ role: 'user', content: partsOf(body.additional_messages.at(-1)) }],
  }),
  frames: frameSet('coze'),
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
  frames: frameSet('library'),
});
