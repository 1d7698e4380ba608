/** Schemas of the Realtime API's client events; unknown fields are refused. */
import * as z from 'zod/mini';

const EventId = z.optional(z.string());
const Format = z.strictObject({
  type: z.enum(['audio/pcm', 'audio/pcmu', 'audio/pcma']),
  rate: z.optional(z.literal(24_000)),
});
const Modalities = z.optional(z.array(z.enum(['text', 'audio'])));
const Tools = z.optional(z.array(z.looseObject({ type: z.string() })));

/** The second is the beta's name. */
const Limit = z.optional(
  z.union([z.int().check(z.positive(), z.maximum(4_096)), z.literal('inf')]),
);
const Limits = { max_output_tokens: Limit, max_response_output_tokens: Limit };

const Session = z.strictObject({
  ...Limits,
  type: z.optional(z.literal('realtime')),
  model: z.optional(z.string()),
  instructions: z.optional(z.string()),
  output_modalities: Modalities,
  modalities: Modalities,
  voice: z.optional(z.string()),
  tools: Tools,
  audio: z.optional(
    z.strictObject({
      input: z.optional(
        z.strictObject({
          format: z.optional(Format),
          transcription: z.optional(z.strictObject({ model: z.string() })),
          turn_detection: z.optional(z.nullable(z.looseObject({ type: z.string() }))),
        }),
      ),
      output: z.optional(
        z.strictObject({ format: z.optional(Format), voice: z.optional(z.string()) }),
      ),
    }),
  ),
});

const Part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['input_text', 'text', 'output_text']), text: z.string() }),
  z.strictObject({ type: z.literal('input_audio'), audio: z.string() }),
]);

const Item = z.strictObject({
  id: z.optional(z.string()),
  type: z.literal('message'),
  role: z.enum(['user', 'assistant', 'system']),
  content: z.array(Part),
});

export const ClientEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('session.update'), event_id: EventId, session: Session }),
  z.strictObject({
    type: z.literal('input_audio_buffer.append'),
    event_id: EventId,
    audio: z.string(),
  }),
  z.strictObject({ type: z.literal('input_audio_buffer.commit'), event_id: EventId }),
  z.strictObject({ type: z.literal('input_audio_buffer.clear'), event_id: EventId }),
  z.strictObject({ type: z.literal('conversation.item.create'), event_id: EventId, item: Item }),
  z.strictObject({
    type: z.literal('response.create'),
    event_id: EventId,
    response: z.optional(
      z.strictObject({
        ...Limits,
        instructions: z.optional(z.string()),
        output_modalities: Modalities,
        modalities: Modalities,
        conversation: z.optional(z.enum(['auto', 'none'])),
      }),
    ),
  }),
  z.strictObject({
    type: z.literal('response.cancel'),
    event_id: EventId,
    response_id: z.optional(z.string()),
  }),
]);

export type ClientEvent = z.output<typeof ClientEvent>;
export type SessionFields = z.output<typeof Session>;
export type ResponseRequest = Extract<ClientEvent, { type: 'response.create' }>['response'];
export type MessageItem = z.output<typeof Item>;
