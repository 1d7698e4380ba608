/** Asking an upstream itself, through a channel: for operators, never charged. */
import * as z from 'zod/mini';
import { ById, call } from './call.ts';
import { Flag } from './fields.ts';

export const ProbeResult = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  model: z.string(),
  success: z.boolean(),
  /** What went wrong; empty when nothing did. */
  message: z.string(),
  /** HTTP status of the upstream; 0 when there was no answer. */
  status_code: z.int(),
  time_ms: z.int(),
  /** Milliseconds to the first content of a stream; 0 for a plain call. */
  first_token_ms: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
});

export const channelProbeCalls = {
  test: call({
    method: 'POST',
    path: '/api/channel/:id/test',
    role: 10,
    summary: 'Makes one small call to the upstream of a channel',
    input: z.extend(ById, {
      /** The channel's test model, else its first one, when absent. */
      model: z.optional(z.string().check(z.trim(), z.maxLength(255))),
      stream: z._default(Flag, false),
    }),
    reply: ProbeResult,
  }),
  models: call({
    method: 'POST',
    path: '/api/channel/:id/models',
    role: 10,
    summary: 'Reads the list of models from the upstream of a channel',
    input: ById,
    reply: z.object({
      channel_id: z.int(),
      models: z.array(z.string()),
      /** What the channel lists and the upstream does not, and the other way round. */
      missing_upstream: z.array(z.string()),
      not_listed: z.array(z.string()),
    }),
  }),
};
