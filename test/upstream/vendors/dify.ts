/** Dify: chat applications and workflows. */
import * as z from 'zod/mini';
import { frameSet } from '../answers/frame-set.ts';
import type { Wire } from '../answers/wires.ts';
import { app, BARE, questionBody } from './vendor-protocol.ts';

const DifyFiles = z.optional(
  z.array(
    z.strictObject({
      type: z.enum(['image', 'document', 'audio', 'video', 'custom']),
      transfer_method: z.enum(['remote_url', 'local_file']),
      url: z.optional(z.string()),
      upload_file_id: z.optional(z.literal('fake-file-id')),
    }),
  ),
);
function pictureOf(file: { readonly url?: string; readonly upload_file_id?: string }) {
  return { type: 'image_url', image_url: file.url ?? file.upload_file_id };
}

const DIFY_ERROR = { event: 'error', status: 500, code: 'completion_request_error', message: 'no' };
const DIFY_WIRE: Wire = { ...BARE, error: DIFY_ERROR };

export const dify = app({
  body: z.strictObject({
    inputs: z.record(z.string(), z.unknown()),
    query: z.string().check(z.minLength(1)),
    response_mode: z.enum(['streaming', 'blocking']),
    user: z.string().check(z.minLength(1)),
    conversation_id: z.optional(z.string()),
    files: DifyFiles,
    auto_generate_name: z.optional(z.boolean()),
  }),
  wire: DIFY_WIRE,
  streams: (body) => body.response_mode === 'streaming',
  chat: ({ query, files = [] }) => ({
    model: 'app',
    messages: [{ role: 'user', content: [{ type: 'text', text: query }, ...files.map(pictureOf)] }],
  }),
  frames: frameSet('dify'),
});

export const workflow = app({
  body: z.strictObject({
    inputs: z.looseObject({ query: z.string() }),
    response_mode: z.enum(['streaming', 'blocking']),
    user: z.string(),
    files: DifyFiles,
  }),
  wire: DIFY_WIRE,
  streams: (body) => body.response_mode === 'streaming',
  chat: (body) => questionBody(body.inputs.query),
  frames: frameSet('workflow'),
});
